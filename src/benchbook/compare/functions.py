"""JavaScript functions of the reader's own files, compared in process: `compare a.mjs b.mjs`.

A file has one function as its default export, or several by name; `lib.mjs:parse` is one of them.
Inputs come from another file (--with), in which each named export is one.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchbook.compare import detect
from benchbook.compare.programs_given import names_of
from benchbook.model.kinds.functions import NodeFunctions
from benchbook.model.plan import FEWEST_LAUNCHES, ROUND_COST
from benchbook.model.variants import Mode, Variant
from benchbook.race.kinds.functions.files import node_files
from benchbook.race.kinds.functions.files.node_files import Exported
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.nearest import unknown

DEFAULT = "default"

# Equal functions, each in a file of its own, on a machine that was busy with much else: the ratio
# of two differed from launch to launch by 0.1 % (arithmetic, small objects) to 1.7 % (JSON.parse;
# in .NET 2 %), and from block to block by 0.3 to 1.1 %.
# A hypervisor that takes the CPU for 40 ms, now and then, has it charged to one slice. So blocks
# are short and many: their centre in a launch is robust against one of them, not of one of two.
SAMPLE_SECONDS = 0.025
BLOCKS = 8  # of a launch
FEWEST_BLOCKS = 4
MOST_LAUNCHES = 16
WARM_UP_SECONDS = 0.02  # beside that which a process gives itself when it starts
AGAIN_SECONDS = 0.02  # the second time, which shows whether it still gets faster
# CPU time of an entry until it is asked: the next launch starts meanwhile, and this one lasts as
# long.
START_SECONDS = 0.25


@dataclass(frozen=True)
class Named:
    """A function that is meant: its file, and its name in it ('' where the word had none)."""

    file: Path
    function: str = ""

    @classmethod
    def of(cls, word: str, suffixes: Sequence[str], folder: Path) -> "Named":
        """folder: where paths begin.

        Raises InputError where there is no such file, or one with another ending.
        """
        file, function = detect.member_of(word, folder)
        path = (folder / file).absolute()
        if not path.is_file():
            raise InputError(word, "", "there is no such file")
        if not file.endswith(tuple(suffixes)):
            problem = f"is no file with functions ({', '.join(suffixes)})"
            raise InputError(word, "", problem)
        return cls(path, function)


def variants(
    words: Sequence[str], inputs: Path | None = None, folder: Path | None = None
) -> tuple[NodeFunctions, list[Variant]]:
    """The functions that are meant, each once for every input; the baseline first.

    words: "a.mjs" (its default export, or its only function), "lib.mjs:parse", or one file alone,
    all of whose functions are compared; inputs: the file of --with; folder: where paths begin,
    None for this one. `series` is the function, `case` the input's name ('' without inputs).

        kind, found = functions.variants(["a.mjs", "b.mjs"], Path("values.mjs"))
        question = Question(kind, tuple(found), functions.mode(25, entries=3), folder)
        notes = answers.check(kind, found)   # before the race

    Raises InputError for a word, a file or inputs that are wrong, BenchError where a file can't be
    loaded.
    """
    folder = folder or Path.cwd()
    named = [Named.of(word, node_files.SUFFIXES, folder) for word in words]
    given = Named.of(str(inputs), node_files.SUFFIXES, Path.cwd()).file if inputs else None
    files = {each.file: node_files.exported(each.file, given) for each in named}
    chosen = [one for each in named for one in meant(each, files[each.file], alone=len(named) == 1)]
    chosen = list(dict.fromkeys(chosen))  # a file against itself is the control's question
    cases = next(iter(files.values())).inputs if given else ("",)
    if not cases:
        remedy = "export each input by a name: export const small = [1, 2, 3];"
        raise InputError(paths.near(given or Path()), "", "exports no inputs", remedy)
    env = {node_files.INPUTS: str(given)} if given else {}
    found = [
        Variant(label, label, each.file, benchmark=each.function, series=label, env=env)
        for each, label in zip(chosen, labels(chosen, folder))
    ]
    return NodeFunctions(node_files.ADAPTER), in_cases(found, cases)


def meant(named: Named, there: Exported, alone: bool) -> list[Named]:
    """The functions of a file that a word means; alone: no other file is named."""
    where, names = paths.near(named.file), there.functions
    if not names:
        remedy = "export one: export default function () { … }"
        raise InputError(where, "", "exports no function", remedy)
    if named.function:
        if named.function not in names:
            raise InputError(where, "", unknown("function", named.function, names))
        return [named]
    if alone:
        return [Named(named.file, name) for name in names]
    if DEFAULT in names or len(names) == 1:
        return [Named(named.file, DEFAULT if DEFAULT in names else names[0])]
    problem = f"exports several functions: {', '.join(names)}"
    raise InputError(where, "", problem, f"name one: {where}:{names[0]}")


def labels(chosen: Sequence[Named], folder: Path) -> list[str]:
    """What functions are called: by their names in one file, by those of their files in several,
    whose paths begin in `folder`."""
    files = list(dict.fromkeys(each.file for each in chosen))
    if len(files) == 1:
        return [each.file.stem if each.function == DEFAULT else each.function for each in chosen]
    stems = Counter(file.stem for file in files)
    bare = [file.with_suffix("") for file in files]
    names = names_of(bare if len(set(bare)) == len(files) else files, folder)
    longer, found = dict(zip(files, names, strict=True)), []
    for each in chosen:
        place = each.file.stem if stems[each.file.stem] == 1 else longer[each.file]
        only = [other.file for other in chosen].count(each.file) == 1
        found.append(place if only else f"{place}:{each.function}")
    return found


def in_cases(found: Sequence[Variant], cases: Sequence[str]) -> list[Variant]:
    """Each variant once for every case; with one that has no name as they are."""
    if list(cases) == [""]:
        return list(found)
    return [
        replace(each, name=f"{each.name} on {case}", title=f"{each.title} on {case}", case=case)
        for case in cases
        for each in found
    ]


def mode(seconds: float, entries: int, start_seconds: float = START_SECONDS) -> Mode:
    """How functions are raced for so many seconds, in which all entries (the A/A copy too) fit.
    start_seconds: of an entry's process.

    Many short launches: where a function's code and data come to lie differs from start to start,
    and no longer launch would tell that apart from the function.
    """
    beside, each = WARM_UP_SECONDS + AGAIN_SECONDS, SAMPLE_SECONDS + ROUND_COST
    left = seconds / entries - start_seconds
    launches = round(left / max(beside + BLOCKS * each, start_seconds))
    launches = min(MOST_LAUNCHES, max(FEWEST_LAUNCHES, launches))
    blocks = max(FEWEST_BLOCKS, int((left / launches - beside) / each))
    return Mode(seconds, SAMPLE_SECONDS, WARM_UP_SECONDS, launches=launches, blocks=blocks)
