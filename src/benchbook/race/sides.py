"""Whose side it is that requests fail on: a program's, or the client's where all fail alike."""

from collections.abc import Mapping

from benchbook.analysis.voids import CLIENT_SIDE
from benchbook.model.runs import Sample
from benchbook.programs.programs import VariantError
from benchbook.race.executor import Outcome
from benchbook.system.errors import BenchError


def check_sides(found: Mapping[str, Outcome]) -> None:
    """Raises BenchError where all programs failed alike: then it is no program's fault."""
    errors = [outcome for outcome in found.values() if isinstance(outcome, VariantError)]
    if len(errors) > 1 and len(errors) == len(found):
        told = "".join(f"\n  {error.message.splitlines()[0]}" for error in errors)
        raise BenchError(f"no program could be put under load{told}", CLIENT_SIDE)


def failed_requests(sample: Sample) -> str:
    """Which requests had failed when a sample was over, in words."""
    failures = {**sample.errors, "status not 2xx": sample.non_2xx}
    counts = ", ".join(f"{count} {kind}" for kind, count in failures.items() if count)
    place = f"launch {sample.launch + 1}, block {sample.block + 1}"
    return f"requests had failed by {place} ({counts})"
