"""`bench kernels install` and `remove`: what Jupyter finds then, and whose kernels stay alone."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from jupyter_client.kernelspec import KernelSpecManager

from benchbook.commands import cli
from benchbook_kernels.install import kernelspecs
from benchbook_kernels.notebook.sessions import csharp, jupyter

OWN = ["benchbook-csharp", "benchbook-node"]


@pytest.fixture
def user(tmp_path, monkeypatch) -> Path:
    """The user's own folder of kernelspecs; the C# session is taken for built."""
    for name in ("JUPYTER_CONFIG_DIR", "HOME", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.delenv("JUPYTER_PATH", raising=False)
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(csharp, "built", lambda: tmp_path / "host.dll")
    return tmp_path / "data" / "kernels"


def bench(*arguments):
    return CliRunner().invoke(cli.main, ["kernels", *map(str, arguments)])


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir()) if folder.exists() else []


def real_net_interactive(folder: Path) -> str:
    """A kernelspec as `dotnet interactive jupyter install` writes it; its text."""
    command = ["dotnet", "interactive", "jupyter", "--default-kernel", "csharp"]
    spec = {"argv": command, "display_name": ".NET (C#)", "language": "C#"}
    text = json.dumps(spec)
    (folder / ".net-csharp").mkdir(parents=True)
    (folder / ".net-csharp" / "kernel.json").write_text(text)
    return text


def test_jupyter_finds_the_kernels_of_the_user_and_those_of_an_environment(
    user, tmp_path, monkeypatch
):
    monkeypatch.delenv("JUPYTER_PREFER_ENV_PATH", raising=False)  # ./bench sets it for its own
    done = bench("install", "--user")
    assert done.exit_code == 0, done.output
    found = KernelSpecManager().find_kernel_specs()
    assert [Path(found[name]) for name in OWN] == [user / name for name in OWN]
    elsewhere = bench("install", "--prefix", tmp_path / "environment")
    assert elsewhere.exit_code == 0 and "does not look into" in elsewhere.output
    assert names(kernelspecs.folder_in(tmp_path / "environment")) == OWN


def test_the_csharp_kernel_has_the_name_that_old_notebooks_ask_for(user):
    assert bench("install", "--user", "--as", ".net-csharp").exit_code == 0
    spec = KernelSpecManager().get_kernel_spec(".net-csharp")
    assert spec.argv[-4:] == ["benchbook_kernels", "csharp", "-f", "{connection_file}"]
    assert (spec.language, spec.display_name) == ("C#", "Benchbook (C#) as .net-csharp")
    assert bench("install", "--user", "--as", ".net-csharp").exit_code == 0, "it is ours"


def test_ours_is_not_taken_for_net_interactive(user):
    bench("install", "--user", "--as", ".net-csharp")
    assert not jupyter.installed(".net-csharp") and jupyter.installed("benchbook-csharp")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        (".net-fsharp", "no F# kernel"),
        (".net-powershell", "no PowerShell kernel"),
        (".net-pwsh", "no PowerShell kernel"),
        ("../other", "no kernel's name"),
        ("", "no kernel's name"),
        ("benchbook-node", "is installed anyway"),
    ],
)
def test_a_name_that_makes_no_sense_is_refused(user, name, wanted):
    done = bench("install", "--user", "--as", name)
    assert done.exit_code == 2 and wanted in done.output
    assert names(user) == []


def test_another_programs_kernel_is_neither_replaced_nor_removed(user):
    text = real_net_interactive(user)
    for command in ("install", "remove"):
        done = bench(command, "--user", "--as", ".net-csharp")
        assert done.exit_code == 1 and "is not Benchbook's" in done.output, done.output
        assert "jupyter kernelspec remove .net-csharp" in done.output
    assert names(user) == [".net-csharp"]
    assert bench("install", "--user").exit_code == 0 == bench("remove", "--user").exit_code
    assert names(user) == [".net-csharp"]
    assert (user / ".net-csharp" / "kernel.json").read_text() == text


def test_another_programs_kernel_is_not_hidden(user, tmp_path, monkeypatch):
    real_net_interactive(tmp_path / "shared" / "kernels")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "shared"))
    done = bench("install", "--user", "--as", ".net-csharp")
    assert done.exit_code == 1 and str(tmp_path / "shared") in done.output
    assert names(user) == []


def test_one_of_ours_or_all_are_removed(user):
    bench("install", "--user", "--as", ".net-csharp")
    assert bench("remove", "--user", "--as", ".net-csharp").exit_code == 0
    assert names(user) == OWN
    assert bench("remove", "--user").exit_code == 0
    assert names(user) == []
    again = bench("remove", "--user")
    assert again.exit_code == 0 and "no kernel of Benchbook" in again.output


def test_without_the_sdk_it_says_how_to_get_it(user, tmp_path, monkeypatch):
    monkeypatch.setattr(csharp, "built", lambda: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    done = bench("install", "--user", "--as", ".net-csharp")
    assert done.exit_code == 1 and "C# cells need the .NET SDK" in done.output
    assert "dotnet" in done.output.partition("→")[2]
    assert ".net-csharp" in names(user), "the first cell builds the session, once there is an SDK"


def test_a_place_is_named_once(tmp_path):
    done = bench("install", "--user", "--prefix", tmp_path)
    assert done.exit_code == 2 and "not both" in done.output
