"""The C# session is compiled to machine code, where what does so can be had."""

import pytest

from benchbook_kernels.base import builds
from benchbook_kernels.notebook.sessions import csharp
from benchbook_kernels.notebook.sessions.session import SessionError

AHEAD = "-p:Ahead=true"
MISSING = "x.csproj : error NU1101: Unable to find package Microsoft.NETCore.App.Crossgen2."


@pytest.fixture
def asked(checkout, monkeypatch):
    """The options of each build; those that are named in `fails` fail with a message."""
    seen: list[tuple[str, ...]] = []

    def run_dotnet(verb, path, *options):
        seen.append(options)
        failure = next((run_dotnet.fails[o] for o in options if o in run_dotnet.fails), None)
        if failure:
            return 1, failure
        library = csharp.folder() / "out" / "benchbook-csharp.dll"
        library.parent.mkdir()
        library.touch()
        return 0, ""

    run_dotnet.fails = {}
    monkeypatch.setattr(builds, "run_dotnet", run_dotnet)
    return seen, run_dotnet.fails


def test_it_is_compiled_to_machine_code(asked):
    seen, _ = asked
    assert csharp.built() is None
    assert csharp.build() == csharp.built()
    assert [AHEAD in options for options in seen] == [True]
    csharp.build()
    assert len(seen) == 1


def test_without_the_compiler_for_that_it_is_built_all_the_same(asked):
    seen, fails = asked
    fails[AHEAD] = MISSING
    assert csharp.build().is_file()
    assert [AHEAD in options for options in seen] == [True, False]


def test_who_wants_few_cells_only_may_leave_that_out(asked, monkeypatch):
    seen, _ = asked
    monkeypatch.setenv(csharp.NOT_AHEAD, "0")
    assert csharp.build().is_file()
    assert [AHEAD in options for options in seen] == [False]


def test_what_fails_in_both_ways_is_told(asked):
    seen, fails = asked
    fails["-o"] = "Session.cs(1,2): error CS1002: ; expected [x.csproj]"
    with pytest.raises(SessionError, match="CS1002"):
        csharp.build()
    assert len(seen) == 2
