"""Methods of C# files: which there are, what they answer, and the processes that time them."""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchbook.model.variants import Variant
from benchbook.programs import dotnet_versions, given_environment
from benchbook.race.kinds.functions.dotnet_project import explain
from benchbook.race.kinds.functions.executor import Harness
from benchbook.race.kinds.functions.files import dotnet_build
from benchbook.race.kinds.functions.files.answers import FunctionAnswer, Leaf
from benchbook.race.kinds.functions.files.asking import asked
from benchbook.race.kinds.functions.files.dotnet_build import MethodsFile
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError

SUFFIXES = (".cs",)
FRAMES = ("at StartupHook", "at Benchbook.Micro.", "at System.StartupHookProvider")


@dataclass(frozen=True)
class Method:
    """A method that can be timed ("Class.Method"), and its cases ("N=10"; "" where it has none)."""

    name: str
    cases: tuple[str, ...]
    baseline: bool = False


@dataclass(frozen=True)
class FoundMethods:
    """The methods of a file, in its order; left: those that need arguments and have none; generic:
    those that would be methods if they were of some type."""

    methods: tuple[Method, ...]
    left: tuple[str, ...]
    generic: tuple[str, ...] = ()


def found(file: MethodsFile) -> FoundMethods:
    """What a file that is built has. Raises BenchError where it can't be loaded."""
    [told] = asked_of(file, ["list"], paths.near(file.path), {})
    methods = [Method(m["name"], tuple(m["cases"]), m["baseline"]) for m in told["methods"]]
    return FoundMethods(tuple(methods), tuple(told["left"]), tuple(told["generic"]))


def answers(variant: Variant, cases: Sequence[str]) -> dict[str, FunctionAnswer]:
    """What a variant's method answers in each case, by case.

    Raises BenchError where it throws, does not end, or can't be timed.
    """
    file = MethodsFile.of(variant)
    dotnet_build.build([file], lambda text: None)
    what = f"'{variant.title}' in {paths.near(variant.path)}"
    words = ["answers", variant.benchmark, *cases]
    found = asked_of(file, words, what, variant.env, len(cases))
    return {told["case"]: answer(told) for told in found}


def answer(told: Mapping[str, Any]) -> FunctionAnswer:
    leaves = tuple(leaves_of(json.loads(told["first"])))
    return FunctionAnswer(leaves, "", told["first"] == told["second"], told["opaque"])


def leaves_of(value: Any, place: str = "") -> Iterator[Leaf]:
    """A value of JSON, leaf by leaf."""
    if isinstance(value, dict):
        yield place, "an object"
        for key in sorted(value):
            yield from leaves_of(value[key], f"{place}.{key}")
    elif isinstance(value, list):
        yield place, f"a list of {len(value)}"
        for i, each in enumerate(value):
            yield from leaves_of(each, f"{place}[{i}]")
    else:
        yield place, json.dumps(value, ensure_ascii=False)


def command(file: MethodsFile, words: Sequence[str]) -> list[str]:
    alone = [str(file.library.with_suffix(""))]
    brought = dotnet_versions.brings_runtime(file.needs)
    return [*(alone if brought else ["dotnet", str(file.library)]), "--benchbook", *words]


def environment(file: MethodsFile) -> dict[str, str]:
    """Has the runtime load Methods.cs first."""
    return {"DOTNET_STARTUP_HOOKS": str(file.harness)}


def asked_of(
    file: MethodsFile, words: Sequence[str], what: str, env: Mapping[str, str], count: int = 1
) -> list[dict[str, Any]]:
    """What Methods.cs prints. Raises BenchError where it fails, or does not end."""
    given = {**given_environment.environment(), **environment(file), **env}
    return asked(command(file, words), given, file.path.parent, what, failed, count)


def failed(done: subprocess.CompletedProcess[str], what: str) -> BenchError:
    told = explained(done.stderr.splitlines()).strip() or f"exit code {done.returncode}"
    return BenchError(f"{what} fails: {told}")


def explained(lines: Sequence[str]) -> str:
    """Of what was printed, the lines that tell why it failed, without what is ours."""
    own = [line for line in lines if not is_ours(line)]
    if not any(line.startswith("Stack overflow") for line in own):
        return explain(own)
    frame = next((line.strip() for line in own if line.strip().startswith("at ")), "")
    return f"stack overflow {frame}".strip()


def is_ours(line: str) -> bool:
    """Is it a frame of Methods.cs and its like, or of what calls them?"""
    named = line.strip().startswith(FRAMES)
    return named or any(f"{ours}:line" in line for ours in dotnet_build.OURS)


@dataclass(frozen=True)
class FilesHarness(Harness):
    """The processes that time methods of files."""

    def command(self, variant: Variant) -> list[str]:
        case = [variant.case] if "=" in variant.case else []  # else it only places it in a plot
        file = MethodsFile.of(variant)
        return command(file, ["slices", variant.benchmark, *case])

    def environment(self, variant: Variant) -> dict[str, str]:
        return environment(MethodsFile.of(variant))

    def explained(self, lines: Sequence[str], variant: Variant) -> Sequence[str]:
        return [line.strip() for line in explained(lines).splitlines()]
