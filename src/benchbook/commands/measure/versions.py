"""What `bench race` with versions and `bench bisect` share: asking, and telling the answer."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbook.compare.versions import options
from benchbook.race.options import RaceRequest
from benchbook.system import paths
from benchbook_kernels.base.errors import code_after

if TYPE_CHECKING:  # help needs none of it
    from benchbook.compare.versions.racing import VersionRequest
    from benchbook.model.profiles.by_version import ByVersion
    from benchbook.race.service import Audience


def request_of(
    values: dict[str, Any], race: RaceRequest, usual: float, path: Path | None
) -> VersionRequest:
    """What was asked for; who sits at a terminal is asked before something is got."""
    asking = yes_or_no if sys.stdin.isatty() and sys.stderr.isatty() else None
    return options.request(values, race, usual, path, asking)


def yes_or_no(question: str) -> bool:
    return click.confirm(f"{question}. Get them?", default=True, err=True)


def told(work: Callable[[Audience], ByVersion]) -> None:
    """Do it, and print where statements turn; of what was interrupted, what there is."""
    from benchbook.commands.measure.terminal import Terminal  # here: help needs none of it
    from benchbook.compare.versions.racing import VersionsStopped

    try:
        tell(work(Terminal()))
    except VersionsStopped as stopped:
        click.echo("interrupted: this is what there is", err=True)
        tell(stopped.record)
        raise SystemExit(code_after(stopped)) from None


def tell(record: ByVersion) -> None:
    from benchbook.show.versions import shown

    click.echo(shown.answer(record).text)
    click.echo(f"\nkept: {paths.relative(record.path) if record.path else ''}")
