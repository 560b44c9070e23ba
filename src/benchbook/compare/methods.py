"""C# methods of the reader's own files, compared in process: `compare a.cs b.cs`.

A file has methods with [Benchmark], by BenchmarkDotNet's rules, or plain public ones;
`lib.cs:Parse` is one of them. Each file is a program of its own, so two may have the same names in
them.
"""

from collections.abc import Sequence
from pathlib import Path

from benchbook.compare import functions
from benchbook.compare.functions import Named, in_cases, labels
from benchbook.model.kinds.functions import DotnetFiles
from benchbook.model.variants import Mode, Variant
from benchbook.programs.readiness import Say
from benchbook.race.kinds.functions.files import dotnet_build, dotnet_files, dotnet_text
from benchbook.race.kinds.functions.files.dotnet_build import MethodsFile
from benchbook.race.kinds.functions.files.dotnet_files import FoundMethods, Method
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.nearest import unknown

NOTHING = "has no method that can be timed"
ARGUMENTS = "give it [Arguments], or call it from a method that needs none"
# CPU time of an entry until it is asked: .NET compiles three times what is called
START_SECONDS = 0.5
REMEDY = "make it public, in a public class, or mark it with [Benchmark] and give it [Arguments]"


def variants(
    words: Sequence[str], say: Say = lambda text: None, folder: Path | None = None
) -> tuple[DotnetFiles, list[Variant]]:
    """The methods that are meant, each once for every case of its [Params] and [Arguments].

    words: "a.cs" (its only method), "lib.cs:Parse", "lib.cs:Class.Parse", or one file alone, all of
    whose methods are compared (the first is the baseline, or that with Baseline = true); say: told
    what is being built; folder: where paths begin, None for this one. The files are built here,
    because only then it is known what is in them.
    `answers.check` is for these, too.

    Raises InputError for a word or a file that is wrong, BenchError for one that can't be built.
    """
    folder = folder or Path.cwd()
    named = [Named.of(word, dotnet_files.SUFFIXES, folder) for word in words]
    files(words, folder)
    usual = dotnet_build.USUAL
    to_build = {each.file: MethodsFile(each.file, given=usual) for each in named}
    dotnet_build.build(list(to_build.values()), say)
    there = {path: dotnet_files.found(file) for path, file in to_build.items()}
    for path, what in there.items():
        if what.generic:
            say(f"{paths.near(path)}: left out, because generic: {', '.join(what.generic)}")
    chosen: dict[Named, Method] = {}
    for each in named:
        for method in meant(each, there[each.file], alone=len(named) == 1):
            chosen[Named(each.file, short(method, there[each.file]))] = method
    made = []
    for (one, method), label in zip(chosen.items(), labels(list(chosen), folder)):
        variant = Variant(
            label, label, one.file, benchmark=method.name, series=label, properties=usual
        )
        made.append(in_cases([variant], method.cases))
    check_cases(made)
    return DotnetFiles(), by_case(made)


def files(words: Sequence[str], folder: Path) -> list[Variant]:
    """The files that words name, as programs: what is known of them before they are built. Raises
    InputError for what can't be right."""
    named = [Named.of(word, dotnet_files.SUFFIXES, folder) for word in words]
    for each in named:
        refuse(each, alone=len(named) == 1)
    return [Variant(paths.near(each.file), paths.near(each.file), each.file) for each in named]


def refuse(named: Named, alone: bool) -> None:
    """Raises InputError for what can't be right, before anything is built; alone: no other word is
    given."""
    where = paths.near(named.file)
    try:
        text = named.file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(where, "", "is not UTF-8", "save it as UTF-8") from None
    method = named.function.rpartition(".")[2]
    there, marked = dotnet_text.named(text), dotnet_text.benchmarks(text)
    if method and method not in there:
        known = marked or dotnet_text.public(text)
        raise InputError(where, "", unknown("method", method, known))
    if method and dotnet_text.needs_arguments(text, method):
        raise InputError(where, "", f"'{method}' needs arguments", ARGUMENTS)
    if dotnet_text.lacks_methods(text):
        raise InputError(where, "", NOTHING, REMEDY)
    if not method and not alone and len(marked) > 1:
        raise InputError(where, "", *several(where, marked))


def several(where: str, names: Sequence[str]) -> tuple[str, str]:
    """Problem and remedy of a file that has several methods, of which none is named."""
    return f"has several methods: {', '.join(names)}", f"name one: {where}:{names[0]}"


def meant(named: Named, there: FoundMethods, alone: bool) -> list[Method]:
    """The methods that a word means, the baseline first; alone: no other word is given."""
    where = paths.near(named.file)
    names = [method.name for method in there.methods]
    if not names:
        problem = NOTHING
        if there.left:
            problem += f": {', '.join(there.left)} need arguments"
        if there.generic:
            problem += f": {', '.join(there.generic)} are generic"
        raise InputError(where, "", problem, REMEDY)
    if named.function:
        found = [m for m in there.methods if named.function in (m.name, short(m, there))]
        found = found or [m for m in there.methods if m.name.endswith(f".{named.function}")]
        if len(found) != 1:
            known = [short(method, there) for method in there.methods]
            raise InputError(where, "", unknown("method", named.function, known))
        return found
    if alone:
        return sorted(there.methods, key=lambda method: not method.baseline)
    if len(names) == 1:
        return list(there.methods)
    known = [short(method, there) for method in there.methods]
    raise InputError(where, "", *several(where, known))


def short(method: Method, there: FoundMethods) -> str:
    """A method's name, without that of its class where all are of one."""
    classes = {each.name.rpartition(".")[0] for each in there.methods}
    return method.name.rpartition(".")[2] if len(classes) == 1 else method.name


def check_cases(made: Sequence[Sequence[Variant]]) -> None:
    """Raises InputError where a method has other cases than the first: what would it be compared
    with?"""
    cases = [{variant.case for variant in each} for each in made]
    for each, own in zip(made, cases):
        if own != cases[0]:
            lists = [" and ".join(sorted(one)) or "none" for one in (own, cases[0])]
            problem = f"has other cases ({lists[0]}) than {made[0][0].series} ({lists[1]})"
            remedy = "give both the same [Params] and [Arguments], or compare others"
            raise InputError(each[0].series, "", problem, remedy)


def by_case(made: Sequence[Sequence[Variant]]) -> list[Variant]:
    """The variants of all methods, those of the same case next to each other."""
    cases = dict.fromkeys(variant.case for each in made for variant in each)
    return [v for case in cases for each in made for v in each if v.case == case]


def mode(seconds: float, entries: int) -> Mode:
    """As functions.mode, for methods."""
    return functions.mode(seconds, entries, START_SECONDS)
