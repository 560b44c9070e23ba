"""Bundles: checked before use, then everything comes from them, with no network at all."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from benchbook.commands.elsewhere import bundle
from benchbook.setup import bundle as setup_bundle
from benchbook.setup.bundle import FORMAT, MANIFEST, PARTIAL, sha256, this_platform
from benchbook.setup.routes import apt as setup_apt
from benchbook.setup.routes import routes
from benchbook.setup.steps import Setup, SetupError, SetupOptions
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.notebook.sessions import csharp
from ssh_lab import ROOT, tool

CHECKOUT = Path(__file__).resolve().parents[2]
LOCK = "0123"
SHORT_RACE = "launches=1 blocks=2 seconds=0.2 warmup=0 shorten=1000 variants=fastify-schema"


def write_manifest(folder: Path, **changes) -> None:
    files = {
        str(path.relative_to(folder)): sha256(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != MANIFEST
    }
    document = {
        "format": FORMAT,
        "platform": this_platform(),
        "route": "pip",
        "lock": LOCK,
        "npm_registry": "https://npm.example/",
        "nuget": {},
        "files": files,
        **changes,
    }
    (folder / MANIFEST).write_text(json.dumps(document), encoding="utf-8")


@pytest.fixture
def made(tmp_path):
    """A small bundle, in a folder with a space in its name."""
    folder = tmp_path / "a stick"
    (folder / "wheels").mkdir(parents=True)
    (folder / "wheels" / "tiny-1.0-py3-none-any.whl").write_bytes(b"wheel")
    content = tmp_path / "content"
    content.mkdir()
    (content / "entry").write_text("cached")
    with tarfile.open(folder / "npm.tar", "w") as packed:
        packed.add(content, "_cacache")
    write_manifest(folder)
    return folder


@pytest.fixture
def setup(tmp_path):
    """A set-up in an empty checkout, which says nothing."""
    root = tmp_path / "check out"
    (root / ".benchbook").mkdir(parents=True)
    found = Setup(root, SetupOptions(quiet=True))
    found.log.write_text("")
    return found


def test_a_whole_bundle_for_this_platform_is_opened(made):
    opened = setup_bundle.open_bundle(made, LOCK)
    assert opened.route == "pip" and opened.has("wheels") and not opened.has("debs")


def damage(folder: Path) -> None:
    (folder / "npm.tar").write_bytes(b"x" + (folder / "npm.tar").read_bytes()[1:])


def add(folder: Path) -> None:
    (folder / "wheels" / "evil-1.0-py3-none-any.whl").write_bytes(b"")


@pytest.mark.parametrize(
    ("spoil", "words", "remedy"),
    [
        (shutil.rmtree, "is not a folder", "mounted"),
        (lambda f: (f / MANIFEST).unlink(), "has no manifest.json", "./bench bundle"),
        (lambda f: (f / MANIFEST).write_text("{"), "can't be read", "./bench bundle"),
        (lambda f: (f / PARTIAL).touch(), "never finished", "./bench bundle"),
        (lambda f: write_manifest(f, format="zip"), "format: 'zip'", "./bench bundle"),
        (lambda f: write_manifest(f, files=[]), "files: is missing", "./bench bundle"),
        (lambda f: (f / MANIFEST).write_text("[" * 10**5), "can't be read", "./bench bundle"),
        (lambda f: write_manifest(f, platform={}), "platform.system: is missing", "./bench bundle"),
        (lambda f: write_manifest(f, files={"npm.tar": 5}), "not a SHA-256", "./bench bundle"),
        (
            lambda f: write_manifest(f, files={"nuget/a.nupkg": "0"}, nuget={"a.nupkg": [1]}),
            "has no name and version",
            "./bench bundle",
        ),
        (lambda f: write_manifest(f, files={"../x": "0"}), "lies outside", "./bench bundle"),
        (lambda f: write_manifest(f, lock="4567"), "another state of package-lock", "checkout"),
        (damage, "npm.tar is damaged", "copy it again"),
        (lambda f: (f / "npm.tar").unlink(), "npm.tar is missing", "copy it again"),
        (add, "evil-1.0-py3-none-any.whl is not in", "remove it"),
    ],
)
def test_a_broken_bundle_is_refused_and_the_error_names_what_is_wrong(made, spoil, words, remedy):
    spoil(made)
    with pytest.raises(SetupError, match=words) as caught:
        setup_bundle.open_bundle(made, LOCK)
    assert str(made) in str(caught.value) and remedy in caught.value.remedy


def test_what_is_not_listed_is_not_unpacked(made):
    write_manifest(made, files={})
    with pytest.raises(SetupError, match="'npm.tar' is not listed"):
        setup_bundle.open_bundle(made, LOCK)


@pytest.mark.parametrize("name", ["../out", "/tmp/out", "_cacache/../../out"])
@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.SYMTYPE])
def test_nothing_is_unpacked_outside_of_the_cache(made, setup, name, kind):
    with tarfile.open(made / "npm.tar", "w") as packed:
        member = tarfile.TarInfo(name if kind == tarfile.REGTYPE else "_cacache/link")
        member.type, member.linkname = kind, "/etc/passwd"
        packed.addfile(member)
    write_manifest(made)
    with pytest.raises(SetupError, match="npm.tar: .* (lies outside|neither file nor folder)"):
        with setup_bundle.in_use(setup, setup_bundle.open_bundle(made, LOCK)):
            pytest.fail("it was used")
    assert not list(setup.state.rglob("out")) and not list(setup.state.rglob("link"))


@pytest.mark.parametrize(
    ("field", "value"), [("system", "Plan 9"), ("machine", "vax"), ("distribution", "beos 5")]
)
def test_a_bundle_for_another_platform_is_refused(made, field, value):
    write_manifest(made, route="debian", platform={**this_platform(), field: value})
    with pytest.raises(SetupError, match=rf"platform.{field}: .* for {value}, this is"):
        setup_bundle.open_bundle(made, LOCK)


def test_wheels_for_a_python_that_is_not_here_are_refused(made):
    write_manifest(made, platform={**this_platform(), "python": "3.1"})
    with pytest.raises(SetupError, match="platform.python: .* Python 3.1, which is not here"):
        setup_bundle.open_bundle(made, LOCK)
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    write_manifest(made, platform={**this_platform(), "python": here})
    assert setup_bundle.open_bundle(made, LOCK)


def test_wheels_serve_any_distribution(made):
    write_manifest(made, platform={**this_platform(), "distribution": "beos 5"})
    assert setup_bundle.open_bundle(made, LOCK).route == "pip"


def test_what_the_system_puts_on_a_stick_does_no_harm(made):
    (made / "wheels" / "._tiny").touch()
    (made / ".Trash-1000").mkdir()
    setup_bundle.open_bundle(made, LOCK)


def test_while_a_bundle_is_in_use_pip_and_npm_take_from_it_only(made, setup, monkeypatch):
    monkeypatch.setenv("PIP_FIND_LINKS", "elsewhere")
    monkeypatch.delenv("npm_config_offline", raising=False)
    with setup_bundle.in_use(setup, setup_bundle.open_bundle(made, LOCK)):
        assert os.environ["PIP_NO_INDEX"] == "1"
        assert os.environ["PIP_FIND_LINKS"] == (made / "wheels").as_uri()
        assert os.environ["npm_config_offline"] == "true"
        assert os.environ["npm_config_registry"] == "https://npm.example/"
        cache = Path(os.environ["npm_config_cache"])
        assert (cache / "_cacache" / "entry").read_text() == "cached"
    assert os.environ["PIP_FIND_LINKS"] == "elsewhere"
    assert "npm_config_offline" not in os.environ


def test_apt_finds_a_bundle_s_packages_and_no_others(made, setup, tmp_path):
    """With a real .deb and the real apt, which only looks: it installs nothing."""
    tree = tmp_path / "tree" / "DEBIAN"
    tree.mkdir(parents=True)
    (tree / "control").write_text(
        "Package: bench-tiny\nVersion: 1.5\nArchitecture: all\nMaintainer: a test <t@example>\n"
        "Description: nothing\n"
    )
    (made / "debs").mkdir()
    command = [tool("dpkg-deb"), "--build", str(tree.parent), str(made / "debs" / "tiny_1.5.deb")]
    subprocess.run(command, check=True, capture_output=True)
    (made / "debs" / "Packages").write_text(bundle.index(made / "debs"))
    write_manifest(made, route="debian")
    with setup_bundle.in_use(setup, setup_bundle.open_bundle(made, LOCK)):
        subprocess.run([tool("apt-get"), "-q", "update"], check=True, capture_output=True)
        assert setup_apt.apt_candidate("bench-tiny") == "1.5"
        assert setup_apt.apt_candidate("emacs-nox") == ""
        simulated = subprocess.run(
            [tool("apt-get"), "install", "--simulate", "bench-tiny"], capture_output=True, text=True
        )
        assert "Inst bench-tiny (1.5" in simulated.stdout, simulated.stderr


def nupkg(path: Path, name: str, version: str) -> None:
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr(
            f"{name}.nuspec",
            '<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd"><metadata>'
            f"<id>{name}</id><version>{version}</version><authors>a test</authors>"
            "<description>nothing</description><dependencies><group>"
            '<dependency id="Other" version="9.9.9" /></group></dependencies></metadata></package>',
        )


def test_nuget_has_every_version_of_a_bundle_s_packages(made, setup, tmp_path, monkeypatch):
    """With the real NuGet, which is shown no other source."""
    (made / "nuget").mkdir()
    names = {}
    for version in ("1.0.0", "2.0.0"):
        file = made / "nuget" / f"bench.tiny.{version}.nupkg"
        nupkg(file, "Bench.Tiny", version)
        assert bundle.identity(file) == ("Bench.Tiny", version)
        names[file.name] = ["Bench.Tiny", version]
    write_manifest(made, nuget=names)
    monkeypatch.setenv("NUGET_PACKAGES", str(tmp_path / "store"))
    opened = setup_bundle.open_bundle(made, LOCK)
    setup_bundle.unpack_nuget(setup, opened, tool("dotnet"))
    kept = {path.name for path in (tmp_path / "store" / "bench.tiny").iterdir()}
    assert kept == {"1.0.0", "2.0.0"}


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("all of it")
    with pytest.raises(InputError, match="thesis.txt"):
        bundle.make(tmp_path)
    assert (tmp_path / "thesis.txt").exists()


def test_projects_are_restored_once_for_each_set_of_directives():
    every = list(bundle.restorable(CHECKOUT))
    found = [path for path, _, versions in every if not versions]
    assert found[0] == csharp.PROJECT and len(found) == len(set(found))
    directives = [
        frozenset(line for line in path.read_text().splitlines() if line.startswith("#:"))
        for path in found
        if path.suffix == ".cs"
    ]
    assert directives and len(directives) == len(set(directives))
    other = {versions for _, _, versions in every if versions}
    other.remove(csharp.AHEAD)
    assert all(each.startswith("MessagePackVersion=3.") for (each,) in other) and other


@pytest.mark.slow("makes a bundle, and sets a checkout up from it")
def test_set_up_and_experiment_04_need_no_network_with_a_bundle(tmp_path, monkeypatch):
    """A bundle is made here; then a new checkout, with an empty home, is set up from it and runs
    experiment 04 where there is no network but loopback. What this machine has of Debian's packages
    is not bundled again, and of NuGet's only what the C# session needs."""
    on_debian = setup_apt.has_apt()
    monkeypatch.setattr(bundle, "has_apt", lambda: False)
    monkeypatch.setattr(bundle, "restorable", lambda root: [(csharp.PROJECT, False, ())])
    stick, copy, home = tmp_path / "stick", tmp_path / "new checkout", tmp_path / "home"
    bundle.make(stick, "debian" if on_debian else "pip")
    home.mkdir()
    ignored = shutil.ignore_patterns(
        ".venv", ".benchbook", "node_modules", ".git", "bin", "obj", "build"
    )
    shutil.copytree(CHECKOUT, copy, ignore=ignored)
    script = (
        f'{tool("ip")} link set lo up && ./bench setup --from "$1" && ./bench run 04 && '
        "./bench doctor"
    )
    done = subprocess.run(
        [tool("unshare"), *([] if ROOT else ["-r"]), "-n", "sh", "-c", script, "sh", str(stick)],
        cwd=copy,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "BENCHBOOK_RACE": SHORT_RACE,
        },
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the article says" in done.stdout and "Ready." in done.stdout
    assert "note: C# cells can't run" not in done.stderr
    assert (copy / ".benchbook" / "report" / "index.html").is_file()
    assert routes.route_taken(copy)[0] == ("debian" if on_debian else "pip")
