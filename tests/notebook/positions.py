"""Where one presses Tab on lines of magics, what goes there, and what it takes the place of."""

from recorders import Client

from benchbook.load import registry
from benchbook.model import experiments, naming
from benchbook.notebook.magics.experiment_magics import PLOTS
from benchbook.race.options import OPTIONS

CURSOR = "‸"
FLAGS = {option.flag for option in OPTIONS}
FLAGS |= {"--last", "--for", "--delta", "--path", "--answers"}
OF_OWN = {"--server", "--node", "--csharp", "--python"}  # of a program of one's own
TOOLS = set(registry.choices())
VARIANTS = {variant.name for variant in experiments.find("04").variants}
OTHERS = VARIANTS - {"bare"}  # than the baseline
EXPERIMENTS = {naming.name_of(folder) for folder in experiments.folders()}
EVERY_LESSON = {"interleaving", "launches", "best-of-3", "stall", "kernel"}
WITH_04 = "%experiment 04\n"
BENCHMARKED = {"--quick", "--full", "--launches", "--seed", "--anyway"}


def beginning(some: set[str], word: str) -> set[str]:
    return {each for each in some if each.startswith(word)}


# (a cell with the cursor in it, what stands there, what may stand there)
POSITIONS: list[tuple[str, str, set[str]]] = [
    ("%rac‸", "%rac", {"%race"}),
    ("%race‸", "%race", {"%race"}),
    ("%verd‸", "%verd", {"%verdict"}),
    ("  %evi‸", "%evi", {"%evidence"}),
    ("\n\n%contr‸", "%contr", {"%control"}),
    ("%%vari‸", "%%vari", {"%%variant"}),
    ("%%bench‸\npublic class A { }", "%%bench", {"%%benchmark"}),
    ("%race ‸", "", FLAGS),
    ("%race --‸", "--", FLAGS),
    ("%race  ‸", "", FLAGS),
    ("%race --va‸", "--va", {"--variants"}),
    ("%race --fo‸", "--fo", {"--for"}),
    ("%comp‸", "%comp", {"%compare"}),
    ("%compare --del‸", "--del", {"--delta"}),
    ("%compare /dev/nul‸", "/dev/nul", {"/dev/null"}),
    ("%%variant mine --‸\nreturn 1;", "--", OF_OWN),
    ("%race --va‸ --tool wrk", "--va", {"--variants"}),
    ("%race ‸ --quick", "", FLAGS),
    ("%race --quick ‸", "", FLAGS - {"--quick"}),
    ("%race --se‸eds 1", "--se", {"--seconds", "--seed"}),
    ("%race --quick --la‸", "--la", {"--launches", "--last"}),
    ("%race \\\n  --una‸", "--una", set()),
    ("%race \\\n  --unt‸", "--unt", {"--until"}),
    ("%race --launches ‸", "", set()),
    ("%race --tool ‸", "", TOOLS),
    ("%race --tool a‸ --quick", "a", beginning(TOOLS, "a")),
    ("%race --tool=w‸", "w", {"wrk"}),
    (WITH_04 + "%race --variants ‸", "", VARIANTS),
    (WITH_04 + "%race --variants no-‸", "no-", beginning(VARIANTS, "no-")),
    (WITH_04 + "%race --variants no-json,‸", "", VARIANTS - {"no-json"}),
    (WITH_04 + "%race --variants bare, no-h‸ --quick", "no-h", {"no-header"}),
    (WITH_04 + "%race --variants=bare,no-h‸ --tool wrk", "no-h", {"no-header"}),
    (WITH_04 + "\n  %race --variants no-json,wr‸", "wr", beginning(VARIANTS, "wr")),
    ("// 😀😀\n" + WITH_04 + "%race --variants no-h‸", "no-h", {"no-header"}),
    ("%experiment ‸", "", EXPERIMENTS),
    ("%experiment 0‸", "0", beginning(EXPERIMENTS, "0")),
    ("%experiment seth‸", "seth", {"04-setheader-vs-writehead"}),
    (WITH_04 + "%predict ‸", "", OTHERS),
    (WITH_04 + "%predict ‸ +5%", "", OTHERS),
    (WITH_04 + "%predict no-h‸ +5%", "no-h", {"no-header"}),
    (WITH_04 + "%predict no-header +5% ‸", "", {"--to"}),
    (WITH_04 + "%predict no-header +5% --to ‸", "", VARIANTS - {"no-header"}),
    ("%plot ‸", "", set(PLOTS)),
    ("%plot sam‸", "sam", {"samples"}),
    ("%plot growth ‸", "", {"--to"}),
    ("%lesson ‸", "", EVERY_LESSON),
    ("%lesson inter‸", "inter", {"interleaving"}),
    (WITH_04 + "%lesson best-of-3 no‸", "no", beginning(VARIANTS, "no")),
    (WITH_04 + "%check ‸", "", {"1", "2", "3"}),
    ("%score 04‸", "04", {"04-setheader-vs-writehead"}),
    ("%scoreboard ‸", "", {"table", "plot"}),
    ("%verdict ‸", "", set()),
    ("%evidence ‸", "", set()),
    ("%control ‸", "", set()),
    ("%engine ‸", "", {"csharp", "node"}),
    ("%engine node be‸", "be", {"benchbook"}),
    (WITH_04 + "%%variant ‸", "", VARIANTS | OF_OWN),
    (WITH_04 + "%variant no-json --to no-h‸", "no-h", {"no-header"}),
    (WITH_04 + "%variant no-json --e‸", "--e", {"--edit"}),
    (WITH_04 + "%%variant no-he‸\nimport http from 'node:http';", "no-he", {"no-header"}),
    ("%%benchmark ‸", "", BENCHMARKED),
    ("%%benchmark --f‸\npublic class A { }", "--f", {"--full"}),
    ("%room data/ru‸", "data/ru", {"data/runs/"}),
    ("%race --fu‸ll", "--full", {"--full"}),
    ("%rase --‸", "", set()),
    ("#!sha‸", "#!sha", {"#!share"}),
    ("#!share --fr‸", "--fr", {"--from"}),
    ("#!share --from ‸ x", "", {"csharp", "node", "python", "value"}),
]


def pressed(marked: str) -> tuple[str, int]:
    """A cell, and where the cursor is in it."""
    return marked.replace(CURSOR, ""), marked.index(CURSOR)


def check(reply: dict, code: str, replaced: str, wanted: set[str]) -> None:
    """Is it the answer that is wanted, at its place in the whole cell?"""
    assert reply["status"] == "ok"
    assert set(reply["matches"]) == wanted and len(reply["matches"]) == len(wanted)
    if wanted:
        assert code[reply["cursor_start"] : reply["cursor_end"]] == replaced
    for each in reply["metadata"]["_jupyter_types_experimental"]:
        assert (each["start"], each["end"]) == (reply["cursor_start"], reply["cursor_end"])


def answer_everywhere(kernel: Client) -> None:
    """Does a kernel answer at every position, in one request each?"""
    for marked, replaced, wanted in POSITIONS:
        code, pos = pressed(marked)
        check(kernel.complete(code, pos), code, replaced, wanted)
