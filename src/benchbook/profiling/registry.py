"""Which profiler a variant's runtime has, and why there is none for others."""

from benchbook.model.variants import Variant
from benchbook.profiling.profiler import Profiler
from benchbook.profiling.profilers import dotnet, node
from benchbook.programs import readiness, runners

PROFILERS: tuple[Profiler, ...] = (node.PROFILER, dotnet.PROFILER)


def find(variant: Variant) -> Profiler | None:
    """The profiler of a variant's runtime; None where there is none."""
    return next((each for each in PROFILERS if each.runs(variant)), None)


def lacks(variant: Variant) -> str:
    """Why a variant can't be profiled, '' where it can. It may be built by then."""
    if variant.address:
        return "it runs already: a profiler has to be there when a program starts"
    if len(readiness.parts(variant)) > 1:
        return "it passes requests on to another program, and one profile does not hold both"
    if profiler := find(variant):
        return profiler.lacks(variant)
    known = ", ".join(each.name for each in PROFILERS)
    runtime = runners.of(variant).software(variant) or "what the system runs itself"
    return f"there is no profiler here for {runtime} (there is for: {known})"
