"""Set-up: routes, packages, and what it says when it cannot go on. No network, no real apt."""

import json
import os
import stat
from pathlib import Path

import pytest

from benchbook import bootstrap, setup_apt, setup_remedies, setup_routes, setup_steps
from benchbook.setup_steps import Environment, Options, RouteUnavailable, Setup, SetupError

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def bin_dir(tmp_path, monkeypatch):
    """A folder of fake commands; only these and the shell's own are on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "env", "cat", "echo"):
        real = next(
            place for place in (f"/bin/{name}", f"/usr/bin/{name}") if os.path.exists(place)
        )
        os.symlink(real, folder / name)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def fake(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IEXEC)


@pytest.fixture
def setup(tmp_path):
    """A set-up in a checkout of its own, which says nothing."""
    root = tmp_path / "check out"
    (root / ".benchbook").mkdir(parents=True)
    for name in ("requirements.txt", "requirements-apt.txt", "package.json", "package-lock.json"):
        (root / name).write_bytes((ROOT / name).read_bytes())
    made = Setup(root, Options(quiet=True))
    made.log.write_text("")
    return made


@pytest.fixture
def debian(bin_dir, tmp_path):
    """Fake Debian tools: what apt-get was asked for is in the returned file; installs count."""
    calls, installed = tmp_path / "calls", tmp_path / "installed"
    calls.write_text("")
    installed.write_text("python3\n")
    fake(
        bin_dir, "sudo", f'echo "sudo $*" >>{calls}\nwhile [ "$1" = -n ]; do shift; done\nexec "$@"'
    )
    fake(
        bin_dir,
        "dpkg-query",
        f'while read -r p; do echo "installed $p"; done <{installed}\nexit 1',
    )
    fake(bin_dir, "apt-cache", 'echo "$2:"; echo "  Candidate: 1.0"')
    fake(
        bin_dir,
        "apt-get",
        f'echo "apt-get $*" >>{calls}\n'
        'for p in "$@"; do case $p in -*|*=*|install|update) ;; '
        f'*) echo "$p" >>{installed} ;; esac; done',
    )
    return calls


def as_root(monkeypatch, root: bool) -> None:
    monkeypatch.setattr(setup_steps, "is_root", lambda: root)


def test_the_package_files_of_all_routes_name_what_is_imported():
    wanted = {*setup_routes.MODULES, "jupyterlab"}
    pip = set(setup_routes.FROM_SYSTEM) | {
        line.split(">=")[0] for line in (ROOT / "requirements.txt").read_text().splitlines()
    }
    conda = (ROOT / "environment.yml").read_text()
    assert wanted <= pip
    assert [name for name in wanted if f"- {name} " not in conda] == []
    apt = setup_apt.apt_sections(ROOT)
    assert {"python", "pip", "tools", "browser", "tests", "lint"} == set(apt)
    assert [m for m in setup_routes.MODULES if f"python3-{m}" not in apt["python"]] == []


def test_every_python_requirement_has_a_lower_bound():
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    assert [line for line in lines if line and not line.startswith("#") and ">=" not in line] == []


def test_package_lock_names_no_registry_and_pins_every_package_by_hash():
    text = (ROOT / "package-lock.json").read_text()
    packages = json.loads(text)["packages"]
    assert "resolved" not in text
    assert [n for n, p in packages.items() if n and "integrity" not in p] == []
    own = packages[""]
    wanted = json.loads((ROOT / "package.json").read_text())
    assert own["dependencies"] == wanted["dependencies"]
    assert own["devDependencies"] == wanted["devDependencies"]


def test_global_json_asks_for_sdk_10_and_lets_a_newer_one_do():
    sdk = json.loads((ROOT / "global.json").read_text())["sdk"]
    assert sdk == {"version": "10.0.100", "rollForward": "latestMajor", "allowPrerelease": False}


def test_as_root_missing_packages_are_installed_at_once(setup, debian, monkeypatch):
    as_root(monkeypatch, True)
    setup_apt.apt_install(setup, ["python3", "python3-click"], ["wrk"])
    calls = debian.read_text()
    assert "sudo" not in calls
    assert calls.count(" install ") == 1
    assert calls.rstrip().endswith("install --no-install-recommends python3-click wrk")
    assert setup.notes == []


def test_packages_that_are_there_are_not_asked_for_again(setup, debian, monkeypatch):
    as_root(monkeypatch, True)
    setup_apt.apt_install(setup, ["python3"])
    assert debian.read_text() == ""


def test_package_lists_are_fetched_when_apt_knows_no_candidate(
    setup, debian, bin_dir, tmp_path, monkeypatch
):
    as_root(monkeypatch, True)
    marker = tmp_path / "updated"
    fake(
        bin_dir,
        "apt-cache",
        f'if [ -e {marker} ]; then echo "  Candidate: 1"; else echo "  Candidate: (none)"; fi',
    )
    apt_get = (bin_dir / "apt-get").read_text()
    fake(bin_dir, "apt-get", apt_get + f'case "$*" in *update*) : >{marker} ;; esac')
    setup_apt.apt_install(setup, ["python3-click"])
    assert [line.split()[-1] for line in debian.read_text().splitlines()] == [
        "update",
        "python3-click",
    ]


def test_an_unknown_required_package_is_named(setup, debian, bin_dir, monkeypatch):
    as_root(monkeypatch, True)
    fake(bin_dir, "apt-cache", 'echo "  Candidate: (none)"')
    with pytest.raises(SetupError, match="apt knows no package python3-click") as caught:
        setup_apt.apt_install(setup, ["python3-click"])
    assert "--route pip" in caught.value.remedy


def test_an_unknown_optional_package_is_only_a_note(setup, debian, bin_dir, monkeypatch):
    as_root(monkeypatch, True)
    fake(bin_dir, "apt-cache", 'test "$2" = wrk || echo "  Candidate: 1"')
    setup_apt.apt_install(setup, ["python3-click"], ["wrk"])
    assert setup.notes == ["optional, could not be installed: wrk"]


def test_without_root_the_command_is_printed_and_nothing_is_done(setup, debian, monkeypatch):
    as_root(monkeypatch, False)
    monkeypatch.setattr("sys.stdin", open(os.devnull))
    with pytest.raises(SetupError) as caught:
        setup_apt.apt_install(setup, ["python3-click"], ["wrk"])
    command = "sudo apt-get install --no-install-recommends python3-click wrk"
    assert caught.value.remedy.splitlines()[0] == command
    assert "--yes" in caught.value.remedy
    assert debian.read_text() == ""


def test_without_root_yes_means_sudo_without_a_question(setup, debian, monkeypatch):
    as_root(monkeypatch, False)
    monkeypatch.setattr("sys.stdin", open(os.devnull))
    setup.options.yes = True
    setup_apt.apt_install(setup, ["python3-click"])
    calls = debian.read_text().splitlines()
    assert calls[0].startswith("sudo -n env") and calls[1].startswith("apt-get")


def test_without_root_missing_load_tools_do_not_stop_the_set_up(setup, debian, monkeypatch):
    as_root(monkeypatch, False)
    monkeypatch.setattr("sys.stdin", open(os.devnull))
    setup_apt.apt_install(setup, [], ["wrk"])
    assert "sudo apt-get install --no-install-recommends wrk" in setup.notes[0]


def test_a_failing_command_shows_its_last_lines_and_the_whole_is_in_the_log(setup, bin_dir):
    fake(bin_dir, "tool", "for i in 1 2 3; do echo line $i; done; echo the reason >&2; exit 7")
    with pytest.raises(SetupError, match="exit code 7") as caught:
        setup.run(["tool", "an argument"], remedy="do this")
    assert "    the reason" in str(caught.value)
    assert caught.value.remedy == "do this"
    assert "$ tool 'an argument'\nline 1" in setup.log.read_text()


def test_a_command_that_does_not_exist_is_a_clear_error(setup, bin_dir):
    with pytest.raises(SetupError, match="no-such-tool cannot be started"):
        setup.run(["no-such-tool"])


def test_a_command_that_hangs_is_ended(setup, bin_dir):
    fake(bin_dir, "tool", "while :; do :; done")
    with pytest.raises(SetupError, match="took over 0 s"):
        setup.run(["tool"], timeout=0.2)


def test_folders_of_wheels_are_found_from_anywhere(tmp_path, monkeypatch):
    folder = tmp_path / "with space"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PIP_FIND_LINKS", "wheels ../more file:///elsewhere")
    links = setup_routes.pip_environment()["PIP_FIND_LINKS"].split()
    assert links[0] == (folder / "wheels").as_uri() and "%20" in links[0]
    assert links[2] == "file:///elsewhere"
    assert len(links) == 3


def pip_world(monkeypatch, *, wheels: set[str], numpy_wheel: bool, system_numpy: set[str]) -> None:
    """Two Pythons, and what pip and the system have for each."""
    pythons = [Path("/a/python"), Path("/b/python")]
    monkeypatch.setattr(setup_routes, "candidate_pythons", lambda: pythons)

    def missing(python, modules):
        there = {"venv", "ensurepip", "pip"}
        there |= {"numpy", "scipy"} if str(python) in system_numpy else set()
        return [module for module in modules if module not in there]

    def finds(setup, pip, packages, wait):
        compiled = any(package.startswith("numpy") for package in packages)
        return numpy_wheel if compiled else str(pip[0]) in wheels

    monkeypatch.setattr(setup_routes, "modules_missing", missing)
    monkeypatch.setattr(setup_routes, "pip_finds", finds)


def test_pip_route_takes_the_python_that_the_wheels_are_for(setup, monkeypatch):
    pip_world(monkeypatch, wheels={"/b/python"}, numpy_wheel=True, system_numpy=set())
    choice = setup_routes.choose_pip_python(setup, False)
    assert (str(choice.python), choice.system_packages) == ("/b/python", False)


def test_pip_route_takes_numpy_from_the_system_where_pip_has_none(setup, monkeypatch):
    both = {"/a/python", "/b/python"}
    pip_world(monkeypatch, wheels=both, numpy_wheel=False, system_numpy={"/b/python"})
    choice = setup_routes.choose_pip_python(setup, False)
    assert (str(choice.python), choice.system_packages) == ("/b/python", True)


def test_pip_route_says_why_it_is_not_possible(setup, monkeypatch):
    pip_world(monkeypatch, wheels=set(), numpy_wheel=False, system_numpy=set())
    with pytest.raises(RouteUnavailable, match="pip finds no wheels for /a/python"):
        setup_routes.choose_pip_python(setup, False)


def routes(monkeypatch, **outcome: str) -> None:
    """Fake routes: each leads to an environment or gives the reason why it does not."""

    def route(name: str):
        def take(setup, asked):
            if outcome[name] != "works":
                raise RouteUnavailable(outcome[name])
            return Environment(name, Path("/python"), f"{name} works")

        return take

    monkeypatch.setattr(setup_routes, "ROUTE", {name: route(name) for name in setup_routes.ROUTES})


def test_the_first_route_that_works_is_taken_and_the_reasons_are_kept(setup, monkeypatch):
    routes(monkeypatch, conda="none is active", pip="no wheels", debian="works")
    environment = setup_routes.choose_route(setup)
    assert environment.route == "debian"
    assert environment.why == "debian works; not conda: none is active; not pip: no wheels"


def test_the_route_taken_before_is_kept_until_another_is_asked_for(setup, monkeypatch):
    routes(monkeypatch, conda="none", pip="works", debian="works")
    record = json.dumps({"route": "debian", "why": "it was asked for"})
    (setup.state / "route.json").write_text(record)
    assert setup_routes.choose_route(setup).route == "debian"
    setup.options.route = "auto"
    assert setup_routes.choose_route(setup).route == "pip"


def test_no_route_at_all_names_every_reason(setup, monkeypatch):
    routes(monkeypatch, conda="none", pip="no wheels", debian="no apt")
    with pytest.raises(SetupError) as caught:
        setup_routes.choose_route(setup)
    assert "not conda: none" in str(caught.value) and "not debian: no apt" in str(caught.value)
    assert "conda env create" in caught.value.remedy


def test_the_debian_route_is_refused_without_apt(setup, bin_dir):
    with pytest.raises(RouteUnavailable, match="no Debian or Ubuntu"):
        setup_routes.route_debian(setup, True)


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
    environment = setup_routes.route_conda(setup, False)
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
        setup_routes.route_conda(setup, False)


def test_an_environment_named_benchbook_is_found_without_being_active(
    setup, tmp_path, bin_dir, monkeypatch
):
    prefix = conda_prefix(tmp_path, "benchbook")
    monkeypatch.setenv("CONDA_EXE", str(tmp_path / "conda" / "bin" / "conda"))
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    assert setup_routes.route_conda(setup, False).python == prefix / "bin" / "python"


@pytest.mark.parametrize(
    ("node", "npm", "problem"),
    [
        (None, True, "Node.js is missing"),
        ("v18.19.0", True, "Node.js v18.19.0 is too old"),
        ("v20.0.0", False, "npm is missing"),
        ("v24.1.0", True, ""),
    ],
)
def test_node_is_checked_before_it_is_needed(bin_dir, node, npm, problem):
    if node:
        fake(bin_dir, "node", f"echo {node}")
    if npm:
        fake(bin_dir, "npm", "true")
    found = bootstrap.node_problem(str(bin_dir))
    assert found.startswith(problem) and bool(found) == bool(problem)


def test_node_packages_are_installed_again_when_the_lock_changes(setup, bin_dir, tmp_path):
    calls = tmp_path / "npm-calls"
    fake(
        bin_dir,
        "npm",
        f'echo "$*" >>{calls}\n'
        "PATH=/usr/bin:/bin; rm -rf node_modules; mkdir node_modules; "
        ": >node_modules/.package-lock.json",
    )
    environment = Environment("debian", Path("/python"), "")
    bootstrap.install_node_packages(setup, environment)
    bootstrap.install_node_packages(setup, environment)
    assert len(calls.read_text().splitlines()) == 1
    assert calls.read_text().startswith("ci ")
    (setup.root / "package-lock.json").write_text("{}")
    assert not bootstrap.node_modules_in_step(setup.root)
    bootstrap.install_node_packages(setup, environment)
    assert len(calls.read_text().splitlines()) == 2


def test_npm_that_stops_half_way_leaves_node_modules_unmarked(setup, bin_dir):
    fake(bin_dir, "npm", "PATH=/usr/bin:/bin; mkdir -p node_modules/half; echo no network; exit 1")
    with pytest.raises(SetupError, match="no network"):
        bootstrap.install_node_packages(setup, Environment("debian", Path("/python"), ""))
    assert not bootstrap.node_modules_in_step(setup.root)


@pytest.mark.parametrize(
    ("manager", "tool", "command"),
    [
        ("brew", "wrk", "brew install wrk"),
        ("brew", "ab", "brew install httpd"),
        ("dnf", "ab", "sudo dnf install httpd-tools"),
        ("apt", "nginx", "sudo apt-get install nginx-light"),
        ("brew", "nginx", "brew install nginx"),
        ("dnf", "nginx", "sudo dnf install nginx-core"),
        ("winget", "nginx", "nothing to do: variants behind nginx are shown as unavailable"),
        ("winget", "node", "winget install OpenJS.NodeJS.LTS"),
        ("winget", "wrk", "nothing to do: autocannon (npm) serves where wrk is absent"),
        ("", "node", "install Node.js 20 or newer: nodejs.org/en/download"),
    ],
)
def test_remedies_are_the_platforms_own_commands(monkeypatch, manager, tool, command):
    as_root(monkeypatch, False)
    monkeypatch.setattr(setup_remedies, "has_systemd", lambda: False)
    assert setup_remedies.remedy(tool, manager=manager) == command


def test_nginx_is_a_program_here_and_not_a_service(setup, debian, bin_dir, monkeypatch, tmp_path):
    """Debian's package starts it on port 80, where a whole network can reach it."""
    for module in (bootstrap, setup_remedies):
        monkeypatch.setattr(module, "has_systemd", lambda: True)
    monkeypatch.setattr(bootstrap, "SBIN", str(tmp_path / "sbin"))
    as_root(monkeypatch, False)
    remedy = setup_remedies.remedy("nginx", manager="apt")
    service = "systemctl disable --now nginx"
    assert remedy == f"sudo apt-get install nginx-light && sudo {service}"
    as_root(monkeypatch, True)
    assert setup_remedies.remedy("nginx", manager="apt") == remedy.replace("sudo ", "")
    installs = f"\nmkdir -p {tmp_path}/sbin; cp {bin_dir}/apt-cache {tmp_path}/sbin/nginx"
    fake(bin_dir, "systemctl", f'echo "systemctl $*" >>{debian}')
    apt_get = (bin_dir / "apt-get").read_text()
    fake(bin_dir, "apt-get", f"PATH=/usr/bin:/bin; {apt_get}{installs}")
    bootstrap.install_tools(setup, Environment("debian", Path("/python"), ""))
    calls = debian.read_text().splitlines()
    assert "nginx-light" in calls[0] and calls[1:] == [service]
    bootstrap.install_tools(setup, Environment("debian", Path("/python"), ""))
    assert debian.read_text().count("systemctl") == 1, "one that was there is left as it is"


def test_remedies_do_not_offer_what_apt_does_not_have(bin_dir, monkeypatch):
    as_root(monkeypatch, False)
    fake(bin_dir, "apt-cache", 'echo "  Candidate: 18.20.4+dfsg-1"')
    assert "nodejs.org" in setup_remedies.remedy("node", manager="apt")
    fake(bin_dir, "apt-cache", 'echo "  Candidate: (none)"')
    assert "dotnet-install.sh" in setup_remedies.remedy("dotnet", manager="apt")
    fake(bin_dir, "apt-cache", 'echo "  Candidate: 22.1.0"')
    assert setup_remedies.remedy("node", manager="apt") == "sudo apt-get install nodejs npm"


def test_a_nodejs_that_brings_npm_is_not_joined_by_debians_npm(setup, debian, bin_dir, monkeypatch):
    as_root(monkeypatch, True)
    fake(bin_dir, "apt-cache", 'echo "  Candidate: 20.20.2-1nodesource1"')
    assert setup_remedies.remedy("node", manager="apt") == "apt-get install nodejs"
    apt_get = (bin_dir / "apt-get").read_text()
    made = "; ".join(
        f"printf '#!/bin/sh\\necho v20.20.2\\n' >{bin_dir}/{name}; /bin/chmod +x {bin_dir}/{name}"
        for name in ("node", "npm")
    )
    fake(bin_dir, "apt-get", apt_get + made)
    bootstrap.ensure_node(setup, Environment("debian", Path("/python"), ""))
    assert [line.split()[-1] for line in debian.read_text().splitlines()] == ["nodejs"]


def test_without_a_new_enough_node_the_set_up_stops_with_the_command(
    setup, debian, bin_dir, monkeypatch
):
    as_root(monkeypatch, True)
    fake(bin_dir, "apt-cache", 'echo "  Candidate: 18.20.4+dfsg-1"')
    with pytest.raises(SetupError, match="Node.js is missing") as caught:
        bootstrap.ensure_node(setup, Environment("debian", Path("/python"), ""))
    assert "nodejs.org" in caught.value.remedy
    assert debian.read_text() == ""


def test_a_missing_dotnet_sdk_is_a_note_with_the_command(setup, bin_dir):
    bootstrap.check_dotnet(setup, Environment("debian", Path("/python"), ""))
    assert "the .NET SDK is missing" in setup.notes[0] and "dotnet" in setup.notes[0]


def test_dotnet_11_alone_is_good_enough(setup, bin_dir):
    fake(bin_dir, "dotnet", "echo '11.0.100 [/usr/share/dotnet/sdk]'")
    bootstrap.check_dotnet(setup, Environment("debian", Path("/python"), ""))
    assert setup.notes == []


def test_a_half_written_record_is_no_record(setup):
    (setup.state / "ready").write_text("/somewhere\n/python")
    assert bootstrap.read_ready(setup.root) is None
    assert not bootstrap.is_ready(setup.root)


def test_a_browser_that_can_not_be_had_is_a_note(setup, bin_dir, monkeypatch):
    monkeypatch.setattr(bootstrap, "find_browser", lambda: "")
    monkeypatch.setattr(bootstrap, "has_apt", lambda: False)
    setup.options.with_browser = True
    bootstrap.install_tools(setup, Environment("pip", Path("/python"), ""))
    assert any("Chromium is missing" in note for note in setup.notes)


def test_where_the_system_has_no_chromium_it_is_playwrights(setup, bin_dir, monkeypatch, tmp_path):
    driver = setup.root / "node_modules" / "playwright-core" / "cli.js"
    driver.parent.mkdir(parents=True)
    driver.write_text("")
    downloaded = tmp_path / "browsers" / "chromium-1200" / "chrome-linux64" / "chrome"
    fake(bin_dir, "node", f'/bin/mkdir -p "{downloaded.parent}"; echo "$@" >"{downloaded}"')
    for name in ("BENCHBOOK_CHROMIUM", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "browsers"))
    monkeypatch.setattr(bootstrap, "has_apt", lambda: False)
    monkeypatch.setattr(setup_remedies, "BROWSERS", ())
    setup.options.with_browser = True
    bootstrap.install_tools(setup, Environment("pip", Path("/python"), ""))
    assert setup_remedies.find_browser() == str(downloaded)
    assert "install chromium" in downloaded.read_text()
    assert not any("Chromium" in note for note in setup.notes)
