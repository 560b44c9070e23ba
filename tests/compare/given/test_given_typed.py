"""How choices are typed, and what is refused before anything is made."""

import pytest

from asked_lab import FAST
from benchbook.compare.given import asked as asking
from benchbook.compare.given import nuget, typed
from benchbook.compare.given.asked import Given
from benchbook_kernels.base.errors import InputError


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ("a..b", ["a", "b"]),
        ("a, b,c", ["a", "b", "c"]),
        ("22", ["22"]),
        ("./a.tgz,../b.tgz", ["./a.tgz", "../b.tgz"]),
        ("../a.tgz", ["../a.tgz"]),
        ("x@1.2..x@1.3", ["x@1.2", "x@1.3"]),
    ],
)
def test_choices_are_a_range_or_a_list(text, choices):
    assert typed.choices(text, "--x") == choices


@pytest.mark.parametrize("text", ["", "a,", ",", "a,,b", "a,a", "a..a"])
def test_an_empty_choice_and_one_that_is_there_twice_are_refused(text):
    with pytest.raises(InputError, match="--x"):
        typed.choices(text, "--x")


@pytest.mark.parametrize(
    ("text", "packages"),
    [
        ("fastify@4..fastify@5", [[("fastify", "4")], [("fastify", "5")]]),
        ("fastify@4,5.1.0", [[("fastify", "4")], [("fastify", "5.1.0")]]),
        ("@hapi/hapi@20,21", [[("@hapi/hapi", "20")], [("@hapi/hapi", "21")]]),
        ("hono@4,koa@3", [[("hono", "4")], [("koa", "3")]]),
        ("a@1 b@1,a@2 b@2", [[("a", "1"), ("b", "1")], [("a", "2"), ("b", "2")]]),
        ("x@next,latest", [[("x", "next")], [("x", "latest")]]),
        ("./x-1.0.0.tgz,./x-2.0.0.tgz", [[("", "./x-1.0.0.tgz")], [("", "./x-2.0.0.tgz")]]),
        ("x@4,github:me/x#main", [[("x", "4")], [("", "github:me/x#main")]]),
    ],
)
def test_a_package_is_named_once_or_again(text, packages):
    found = typed.packages(text, "--npm")
    assert [[(each.name, each.version) for each in packages] for packages in found] == packages


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"node": "twenty"}, "--node: 'twenty' is no version"),
        ({"dotnet": "8,x"}, "--dotnet: 'x' is no version"),
        ({"env": "NAME"}, "--env: can't read 'NAME'"),
        ({"env": "1A=2"}, "--env: can't read '1A=2'"),
        ({"env": "PORT=1,2"}, "PORT is given by Benchbook"),
        ({"env": ["A=0,1", "A=1"]}, "--env: has A=1 twice"),
        ({"env": "PATH=a,b", "node": "22"}, "--env: PATH is set by --node"),
        ({"npm": "x@1,"}, "--npm: 'x@1,' has an empty choice"),
        ({"nuget": "X@1,1"}, "--nuget: has '1' twice"),
        ({"nuget": "X@1..X"}, "'X' is no version"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(asked, given, said):
    asked.write({"a.mjs": FAST})
    with pytest.raises(InputError, match=said):
        asked.names("a.mjs", **given)
    assert asked.said == []


def test_a_python_program_gives_lists_and_dictionaries():
    found = asking.given({"node": [20, 22], "env": {"A": [0, 1], "B": "x"}, "kind": "servers"})
    assert found == Given(node="20,22", env=("A=0,1", "B=x"))
    assert found and not Given(setup="npm ci")


@pytest.mark.parametrize(
    ("name", "text", "asks"),
    [
        ("a.cs", "#:package Mine@1.0.0\n", True),
        ("a.cs", "#:sdk X\n#:package  mine\n", True),
        ("a.cs", "#:package MineAnalyzer@1.0.0\n", False),
        ("a.cs", "#:package Their.Mine@1.0.0\n", False),
        ("a.cs", "using Mine;\n// #:package Mine@1.0.0\n", False),
        ("a.csproj", '<PackageReference Version="1"\n  Include="Mine" />', True),
        ("a.csproj", "<PackageReference Update='Other;Mine' />", True),
        ("a.csproj", '<PackageReference Include="Mine.Analyzer" />', False),
        ("a.csproj", '<PackageReference Include="Other" /><Using Include="Mine" />', False),
    ],
)
def test_a_program_asks_for_a_package_by_its_whole_name(tmp_path, name, text, asks):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert nuget.refers(path, "Mine") is asks
