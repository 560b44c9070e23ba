"""Do functions that are compared give the same answers? Asked once, before they are timed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from benchbook.model.kinds.functions import NodeFunctions
from benchbook.model.kinds.kind import Kind
from benchbook.model.variants import Variant
from benchbook.programs.readiness import Say
from benchbook.race.kinds.functions.files import dotnet_build, dotnet_files, node_files
from benchbook.race.kinds.functions.files.answers import FunctionAnswer, difference
from benchbook.race.kinds.functions.files.dotnet_build import MethodsFile
from benchbook_kernels.base.errors import BenchError

Ask = Callable[[Variant, Sequence[str]], dict[str, FunctionAnswer]]


def check(
    kind: Kind,
    variants: Sequence[Variant],
    anything: bool = False,
    say: Say = lambda text: None,
) -> list[str]:
    """Call every function twice for every case, and compare what it gives with the baseline's.

    kind, variants: as functions.variants and methods.variants give them, after whatever they are
    given besides (versions, environment), for which methods are built, as `say` is told; anything:
    other answers are fine (--answers any).
    Returns what a reader should know, as sentences: functions whose answers differ from call to
    call, answers that can't be compared. Raises BenchError where a function fails, or answers
    otherwise than the first variant with the same case.
    """
    ask: Ask = node_files.answers
    if not isinstance(kind, NodeFunctions):
        ask = dotnet_files.answers
        dotnet_build.build(list({MethodsFile.of(variant): None for variant in variants}), say)
    found = list(answered(variants, ask))
    return [] if anything else list(dict.fromkeys(notes(found)))


def answered(variants: Sequence[Variant], ask: Ask) -> Iterator[tuple[Variant, FunctionAnswer]]:
    """Each variant with its answer; those that differ in the case only are asked together."""
    groups: list[list[Variant]] = []
    for variant in variants:
        group = next((g for g in groups if same_program(g[0], variant)), None)
        if group is None:
            groups.append([variant])
        else:
            group.append(variant)
    for group in groups:
        found = ask(
            replace(group[0], title=group[0].series or group[0].title), [v.case for v in group]
        )
        yield from ((variant, found[variant.case]) for variant in group)


def same_program(one: Variant, other: Variant) -> bool:
    """Do two differ in their case only?"""
    alike = replace(one, name="", title="", case="")
    return one.series == other.series and alike == replace(other, name="", title="", case="")


def notes(found: Sequence[tuple[Variant, FunctionAnswer]]) -> Iterator[str]:
    """What a reader should know. Raises BenchError for an answer that is another one."""
    first: dict[str, tuple[Variant, FunctionAnswer]] = {}
    for variant, answer in found:
        baseline, expected = first.setdefault(variant.case, (variant, answer))
        if not answer.steady:
            yield f"{variant.title} answers otherwise from call to call: answers are not compared"
        elif answer.comparable:
            yield f"the answer of {variant.title} can't be compared: {answer.comparable}"
        elif baseline is not variant and expected.steady and not expected.comparable:
            compare(baseline, expected, variant, answer)


def compare(
    baseline: Variant, expected: FunctionAnswer, variant: Variant, answer: FunctionAnswer
) -> None:
    """Raises BenchError where an answer is not the expected one."""
    if found := difference(answer, expected):
        place = f"at {found.place} " if found.place else ""
        raise BenchError(
            f"{variant.title} answers otherwise than {baseline.title}: {place}it has {found.one}, "
            f"and {baseline.title} has {found.other}",
            "correct it, or say that other answers are fine: --answers any",
        )
