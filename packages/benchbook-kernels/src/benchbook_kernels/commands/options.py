"""What the commands say and take alike: progress, misspelt commands, files and folders."""

import errno
import os
import stat
from pathlib import Path
from typing import Any

import click

from benchbook_kernels.base.errors import printable
from benchbook_kernels.base.nearest import did_you_mean

# Why there can be no such file, and making folders above it would not help.
NEVER = {
    errno.ENAMETOOLONG: "the name is too long",
    errno.ELOOP: "its links lead in a circle",
    errno.ENOTDIR: "a part of the path is a file, not a folder",
    errno.EINVAL: "no path has such characters",
}


def say(text: str) -> None:
    """Report progress."""
    click.echo(f"… {text}", err=True)


class Subcommands(click.Group):
    """Commands in a command; a misspelt one is told which was meant."""

    def unknown(self, word: str) -> str:
        return f"no command '{word}'{did_you_mean(word, self.commands)}"

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.list_commands(ctx):
            ctx.fail(self.unknown(args[0]))
        return super().resolve_command(ctx, args)


class NamedPlace(click.Path):
    """A file or a folder that somebody names; refused where the system can't have it.

    kind: "file" or "folder", '' for either; exists: it must be there; otherwise a file may be new,
    but not its folder. anyhow: what is not there is told by whoever looks for it.
    """

    def __init__(self, kind: str = "", exists: bool = False, anyhow: bool = False) -> None:
        super().__init__(exists, file_okay=kind != "folder", dir_okay=kind != "file")
        self.kind = kind
        self.anyhow = anyhow

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        if not str(value):
            self.fail(f"it is empty: name a {self.kind or 'file or a folder'}.", param, ctx)
        found = Path(super().convert(value, param, ctx))
        try:
            mode = found.stat().st_mode
            if self.kind == "folder" and not stat.S_ISDIR(mode):
                self.fail(f"'{printable(str(found))}' is not a folder.", param, ctx)
        except (OSError, ValueError) as error:
            number = getattr(error, "errno", errno.EINVAL)
            if number in NEVER:
                self.fail(f"'{printable(str(found))}': {NEVER[number]}.", param, ctx)
            if number == errno.ENOENT and not self.anyhow and (why := self.absent(found)):
                self.fail(printable(why), param, ctx)
        return found

    def absent(self, path: Path) -> str:
        """Why what is not there can't be written either; '' where it can."""
        if path.is_symlink():
            link = f"'{path}' is a link to '{os.readlink(path)}', which does not exist"
            return f"{link}: name what it should lead to, or another place."
        if self.kind == "file" and not path.parent.exists():
            return f"the folder '{path.parent}' does not exist: make it, or name another one."
        return ""
