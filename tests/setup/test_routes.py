"""Which route is taken, and why another is not."""

import json
from pathlib import Path

import pytest
from fakes import fake

from benchbook.setup.record import is_ready, read_ready
from benchbook.setup.routes import conda, debian, pip, routes, venv
from benchbook.setup.steps import Environment, RouteUnavailable, SetupError


def test_folders_of_wheels_are_found_from_anywhere(tmp_path, monkeypatch):
    folder = tmp_path / "with space"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PIP_FIND_LINKS", "wheels ../more file:///elsewhere")
    links = pip.pip_environment()["PIP_FIND_LINKS"].split()
    assert links[0] == (folder / "wheels").as_uri() and "%20" in links[0]
    assert links[2] == "file:///elsewhere"
    assert len(links) == 3


def pip_world(monkeypatch, *, wheels: set[str], numpy_wheel: bool, system_numpy: set[str]) -> None:
    """Two Pythons, and what pip and the system have for each."""
    pythons = [Path("/a/python"), Path("/b/python")]
    monkeypatch.setattr(pip, "candidate_pythons", lambda: pythons)

    def missing(python, modules):
        there = {"venv", "ensurepip", "pip"}
        there |= {"numpy", "scipy"} if str(python) in system_numpy else set()
        return [module for module in modules if module not in there]

    def finds(setup, command, packages, wait):
        compiled = any(package.startswith("numpy") for package in packages)
        return numpy_wheel if compiled else str(command[0]) in wheels

    monkeypatch.setattr(pip, "modules_missing", missing)
    monkeypatch.setattr(pip, "pip_finds", finds)


def test_pip_route_takes_the_python_that_the_wheels_are_for(setup, monkeypatch):
    pip_world(monkeypatch, wheels={"/b/python"}, numpy_wheel=True, system_numpy=set())
    choice = pip.choose_pip_python(setup, False)
    assert (str(choice.python), choice.system_packages) == ("/b/python", False)


def test_pip_route_takes_numpy_from_the_system_where_pip_has_none(setup, monkeypatch):
    both = {"/a/python", "/b/python"}
    pip_world(monkeypatch, wheels=both, numpy_wheel=False, system_numpy={"/b/python"})
    choice = pip.choose_pip_python(setup, False)
    assert (str(choice.python), choice.system_packages) == ("/b/python", True)


def test_pip_route_says_why_it_is_not_possible(setup, monkeypatch):
    pip_world(monkeypatch, wheels=set(), numpy_wheel=False, system_numpy=set())
    with pytest.raises(RouteUnavailable, match="pip finds no wheels for /a/python"):
        pip.choose_pip_python(setup, False)


def fake_routes(monkeypatch, **outcome: str) -> None:
    """Fake routes: each leads to an environment or gives the reason why it does not."""

    def route(name: str):
        def take(setup, asked):
            if outcome[name] != "works":
                raise RouteUnavailable(outcome[name])
            return Environment(name, Path("/python"), f"{name} works")

        return take

    monkeypatch.setattr(routes, "ROUTE", {name: route(name) for name in routes.ROUTES})


def test_the_first_route_that_works_is_taken_and_the_reasons_are_kept(setup, monkeypatch):
    fake_routes(monkeypatch, conda="none is active", pip="no wheels", debian="works")
    environment = routes.choose_route(setup)
    assert environment.route == "debian"
    assert environment.why == "debian works; not conda: none is active; not pip: no wheels"


def test_the_route_taken_before_is_kept_until_another_is_asked_for(setup, monkeypatch):
    fake_routes(monkeypatch, conda="none", pip="works", debian="works")
    record = json.dumps({"route": "debian", "why": "it was asked for"})
    (setup.state / "route.json").write_text(record)
    assert routes.choose_route(setup).route == "debian"
    setup.options.route = "auto"
    assert routes.choose_route(setup).route == "pip"


def test_no_route_at_all_names_every_reason(setup, monkeypatch):
    fake_routes(monkeypatch, conda="none", pip="no wheels", debian="no apt")
    with pytest.raises(SetupError) as caught:
        routes.choose_route(setup)
    assert "not conda: none" in str(caught.value) and "not debian: no apt" in str(caught.value)
    assert "conda env create" in caught.value.remedy


def test_the_debian_route_is_refused_without_apt(setup, bin_dir):
    with pytest.raises(RouteUnavailable, match="not Debian or Ubuntu"):
        debian.route_debian(setup, True)


def conda_prefix(tmp_path: Path, name: str, lacks: str = "") -> Path:
    """A conda environment whose Python says which modules it lacks."""
    prefix = tmp_path / "conda" / "envs" / name
    (prefix / "bin").mkdir(parents=True)
    answer = f'case "$*" in *find_spec*) echo {lacks} ;; *) echo {prefix}/bin/python ;; esac'
    fake(prefix / "bin", "python", answer)
    return prefix


def test_an_active_conda_environment_that_has_everything_is_used(
    setup, tmp_path, bin_dir, monkeypatch
):
    prefix = conda_prefix(tmp_path, "mine")
    (prefix / "lib" / "dotnet").mkdir(parents=True)
    monkeypatch.setenv("CONDA_PREFIX", str(prefix))
    environment = conda.route_conda(setup, False)
    assert environment.python == prefix / "bin" / "python"
    assert environment.path == (prefix / "bin",)
    assert environment.dotnet_root == str(prefix / "lib" / "dotnet")


def test_an_active_conda_environment_that_lacks_something_is_named(
    setup, tmp_path, bin_dir, monkeypatch
):
    monkeypatch.setenv("CONDA_PREFIX", str(conda_prefix(tmp_path, "base", "scipy plotly")))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CONDA_EXE", raising=False)
    monkeypatch.delenv("MAMBA_EXE", raising=False)
    monkeypatch.delenv("MAMBA_ROOT_PREFIX", raising=False)
    with pytest.raises(RouteUnavailable, match="base lacks scipy plotly"):
        conda.route_conda(setup, False)


def test_an_environment_named_benchbook_is_found_without_being_active(
    setup, tmp_path, bin_dir, monkeypatch
):
    prefix = conda_prefix(tmp_path, "benchbook")
    monkeypatch.setenv("CONDA_EXE", str(tmp_path / "conda" / "bin" / "conda"))
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    assert conda.route_conda(setup, False).python == prefix / "bin" / "python"


def test_a_half_written_record_is_no_record(setup):
    (setup.state / "ready").write_text("/somewhere\n/python")
    assert read_ready(setup.root) is None
    assert not is_ready(setup.root)


def test_editors_find_the_conda_environment_too(setup, tmp_path):
    prefix = tmp_path / "conda" / "envs" / "benchbook"
    (prefix / "conda-meta").mkdir(parents=True)
    venv.finish_venv(setup, {"recipe": "of another route"})
    venv.link_conda(setup, prefix)
    assert setup.venv.is_symlink() and setup.venv.samefile(prefix)
    venv.check_place(setup)  # another route may replace the link
    assert venv.finished_venv(setup) == {} and setup.notes == []
    venv.clear(setup.venv)
    assert prefix.is_dir() and not setup.venv.exists()


def test_somebodys_own_environment_stays_on_the_conda_route_with_a_note(setup, tmp_path):
    setup.venv.mkdir()
    (setup.venv / "pyvenv.cfg").touch()
    venv.link_conda(setup, tmp_path)
    assert setup.venv.is_dir() and not setup.venv.is_symlink()
    assert "was left alone" in setup.notes[0] and str(tmp_path) in setup.notes[0]
