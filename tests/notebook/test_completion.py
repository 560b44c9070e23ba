"""Tab on lines of magics: at every position what belongs there, and Python's names nowhere."""

import random
from types import SimpleNamespace

import pytest
from IPython.core.interactiveshell import InteractiveShell
from positions import POSITIONS, check, pressed
from traitlets.config import Config

from benchbook.notebook.magics import experiment_magics
from benchbook.system import paths
from benchbook_kernels.notebook import cells, completion, nuget
from benchbook_kernels.notebook.completion import MagicCompletion
from benchbook_kernels.notebook.language_magics import LanguageMagics


@pytest.fixture(scope="module")
def magics(tmp_path_factory) -> MagicCompletion:
    """What completes in a kernel, on a shell without one."""
    config = Config({"HistoryManager": {"enabled": False}})
    shell = InteractiveShell(config=config, ipython_dir=str(tmp_path_factory.mktemp("ipython")))
    shell.register_magics(LanguageMagics(shell, SimpleNamespace()))
    experiment_magics.load_ipython_extension(shell)
    return MagicCompletion(shell)


def answer(magics: MagicCompletion, code: str, pos: int, language: str) -> dict | None:
    place = cells.place(code, pos, language)
    found = magics.at(place)
    if found is None:
        return None
    matches = [(text, "") for text in found.matches]
    return completion.reply(place, matches, place.pos - found.length, place.pos)


@pytest.mark.parametrize("language", ["node", "csharp"])
@pytest.mark.parametrize("marked, replaced, wanted", POSITIONS)
def test_what_may_stand_there(magics, monkeypatch, language, marked, replaced, wanted):
    monkeypatch.chdir(paths.root())
    code, pos = pressed(marked)
    check(answer(magics, code, pos, language), code, replaced, wanted)


@pytest.mark.parametrize(
    "marked, language, code, shift",
    [
        ("%env\nMath.flo‸", "node", "Math.flo", 5),
        ("%experiment 04\n\n‸\nMath.floor(1)", "node", "\nMath.floor(1)", 16),
        ("%%node\nMath.f‸", "node", "Math.f", 7),
        ("  %%csharp   Math.F‸", "csharp", "Math.F", 13),
        ("%%csharp Math.Floor(1) \nMath.F‸", "csharp", "Math.Floor(1) \nMath.F", 9),
        ("%experiment 04\n%%variant no-header\nimport‸", "node", "import", 35),
        ("%%benchmark --quick\nusing Sys‸", "csharp", "using Sys", 20),
        ("// 😀\n%%python\nimport os‸", "python", "import os", 14),
        ("#!csharp\nMath.F‸", "csharp", "Math.F", 9),
        ("  %timeit os.‸", "ipython", "  %timeit os.", 0),
    ],
)
def test_code_goes_to_its_language_just_as_it_stands(magics, marked, language, code, shift):
    cell, pos = pressed(marked)
    place = cells.place(cell, pos, "node")
    assert magics.at(place) is None
    place = magics.inside(place)
    assert (place.part.language, place.code, place.shift) == (language, code, shift)
    assert place.code[: place.pos] == cell[place.shift : pos]


def test_every_position_of_any_cell_has_a_place(magics):
    pieces = [
        "%race ",
        "%%node",
        "%%variant ",
        "\n",
        "\n",
        "  ",
        "\\\n",
        "😀",
        "#!share ",
        "#!js",
        "",
    ]
    pieces += ["x", "// c", "!ls", "%", "%%", "--tool=", ",", '#r "nuget: A', "'", "#!"]
    drawn = random.Random(4)
    for _ in range(300):
        code = "".join(drawn.choices(pieces, k=drawn.randint(0, 9)))
        for pos in range(-1, len(code) + 2):
            place = magics.inside(cells.place(code, pos, "node"))
            assert code[place.shift :].startswith(place.code)
            assert 0 <= place.pos <= len(place.code)
            assert place.shift + place.pos == min(max(pos, 0), len(code))
            reply = answer(magics, code, pos, "node")
            assert reply is None or 0 <= reply["cursor_start"] <= reply["cursor_end"] <= len(code)


def test_packages_are_those_that_this_machine_has(tmp_path, monkeypatch):
    for version in ("2.9.0", "2.14.1", "3.0.0-beta.1"):
        folder = tmp_path / "humanizer.core" / version
        folder.mkdir(parents=True)
        (folder / "humanizer.core.nuspec").write_text("<package><id>Humanizer.Core</id></package>")
    monkeypatch.setenv("NUGET_PACKAGES", str(tmp_path))
    assert nuget.complete('#r "nuget: Hum') == (["Humanizer.Core"], "Hum")
    assert nuget.complete('#r "nuget:messagepack') == (["MessagePack"], "messagepack")
    assert nuget.complete('  #r "nuget: humanizer.core, 2.') == (["2.14.1", "2.9.0"], "2.")
    known = nuget.complete('#r "nuget: MemoryPack, ')
    assert known and known[0] == [nuget.central()["MemoryPack"]]
    for line in ('var r = "nuget: Hum', '#r "nuget: Humanizer.Core, 2.9.0"', '#r "Hum.dll'):
        assert nuget.complete(line) is None
    monkeypatch.setenv("NUGET_PACKAGES", str(tmp_path / "none"))
    assert nuget.complete('#r "nuget: Hum') == ([], "Hum")
