"""Where else Benchbook opens: VS Code, dev containers, Binder, Docker, GitHub's runners.

None of these can be had in a test. What can be checked: that each file has the fields and the form
that its reader takes, and that what it says fits this project.
"""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import jsonschema
import pytest

from benchbook.commands import cli
from benchbook.setup.bootstrap import setup_parser
from benchbook.setup.routes.apt import apt_sections

ROOT = Path(__file__).resolve().parents[2]
# The fields that we use, as the schema of https://containers.dev/implementors/json_schema has them.
DEV_CONTAINER = {
    "type": "object",
    "additionalProperties": False,
    "required": ["image"],
    "properties": {
        "name": {"type": "string"},
        "image": {
            "type": "string",
            "pattern": r"^mcr\.microsoft\.com/devcontainers/[\w/]+:[\w.-]+$",
        },
        "features": {
            "type": "object",
            "propertyNames": {"pattern": r"^ghcr\.io/devcontainers/features/[a-z-]+:\d+$"},
            "additionalProperties": {
                "type": "object",
                "additionalProperties": {"type": ["string", "boolean"]},
            },
        },
        "hostRequirements": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "cpus": {"type": "integer", "minimum": 1},
                "memory": {"type": "string", "pattern": "^\\d+([tgmk]b)?$"},
            },
        },
        "postCreateCommand": {"type": "string"},
        "customizations": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "vscode": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"extensions": {"type": "array", "items": {"type": "string"}}},
                },
                "codespaces": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"openFiles": {"type": "array", "items": {"type": "string"}}},
                },
            },
        },
    },
}


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def check_command(command: str) -> None:
    """Raises, or fails, where this is no call of our command line."""
    words = shlex.split(command)
    while "=" in words[0]:  # variables
        del words[0]
    launcher, name, *arguments = words
    assert launcher in ("./bench", "bench.cmd") and (ROOT / launcher).is_file()
    found = cli.main.get_command(None, name)
    assert found, f"no command: {name}"
    if name == "setup":
        setup_parser().parse_args(arguments)  # exits for an option that is not there
    else:
        found.make_context(name, arguments, resilient_parsing=False).close()


# ── VS Code ──────────────────────────────────────────────────────────────────────────────────────


def test_vscode_gets_the_extensions_that_kernels_need_and_hides_no_errors_of_files():
    extensions = json.loads(read(".vscode/extensions.json"))
    assert set(extensions["recommendations"]) == {"ms-toolsai.jupyter", "ms-python.python"}
    settings = json.loads(read(".vscode/settings.json"))
    cells = settings["notebook.editorOptionsCustomizations"]
    assert cells == {"editor.renderValidationDecorations": "off"}
    assert not [name for name in settings if "validate" in name], "would silence .mjs files"
    assert settings["notebook.output.wordWrap"], "else what a wrong kernel shows is cut off"
    ports = settings["remote.otherPortsAttributes"]
    assert ports == {"onAutoForward": "ignore"}, "else each program of a race is announced"
    text = read("docs/vscode.md")
    assert "jupyter.completionTriggerCharacters" in text, "a user's setting: no folder can bring it"
    assert not [name for name in settings if name.startswith("jupyter.completion")]


# ── Dev containers ───────────────────────────────────────────────────────────────────────────────


def test_the_dev_container_has_dotnet_node_python_and_what_vscode_needs():
    found = json.loads(read(".devcontainer/devcontainer.json"))
    jsonschema.validate(found, DEV_CONTAINER)
    sdk = json.loads(read("global.json"))["sdk"]["version"]
    assert found["image"].endswith("-" + ".".join(sdk.split(".")[:2]))
    features = {name.split("/")[-1].split(":")[0]: o for name, o in found["features"].items()}
    assert set(features) == {"node", "python"}
    least = re.search(r"\d+", json.loads(read("package.json"))["engines"]["node"])
    assert least and int(features["node"]["version"]) >= int(least[0])
    recommended = json.loads(read(".vscode/extensions.json"))["recommendations"]
    assert found["customizations"]["vscode"]["extensions"] == recommended
    check_command(found["postCreateCommand"])


def test_a_field_that_dev_containers_do_not_have_is_found():
    wrong = {**json.loads(read(".devcontainer/devcontainer.json")), "postCreate": "./bench setup"}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, DEV_CONTAINER)


# ── Binder ───────────────────────────────────────────────────────────────────────────────────────


def test_binder_finds_its_files_in_one_folder():
    # repo2docker reads no file beside it, and a Dockerfile in it instead of all else
    assert {path.name for path in (ROOT / "binder").iterdir()} == {
        "apt.txt",
        "environment.yml",
        "postBuild",
    }
    assert not (ROOT / ".binder").exists(), "there may be only one of the two"
    assert read("binder/environment.yml") == read("environment.yml")
    assert (ROOT / "binder" / "environment.yml").is_symlink(), "not a copy"


def test_binder_takes_the_python_that_environment_yml_names():
    # repo2docker's own pattern (buildpacks/conda); without a match it takes Python 3.10
    found = [
        match[1]
        for line in read("environment.yml").splitlines()
        if (match := re.match(r"python\s*=+\s*([\d\.]*)", line.removeprefix("  - ")))
    ]
    assert len(found) == 1 and (3, 11) <= tuple(map(int, found[0].split(".")[:2]))


def packages(name: str) -> list[str]:
    lines = read(name).splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_binder_installs_the_tools_that_set_up_would():
    assert sorted(packages("binder/apt.txt")) == sorted(set(apt_sections(ROOT)["tools"]))


def test_binders_last_step_sets_up_in_its_environment(tmp_path):
    bench = tmp_path / "bench"
    bench.write_text('#!/bin/sh\necho "$CONDA_PREFIX: ./bench $*"\n', encoding="utf-8")
    bench.chmod(0o755)
    script = ROOT / "binder" / "postBuild"
    assert os.access(script, os.X_OK)
    env = {"PATH": os.environ["PATH"], "NB_PYTHON_PREFIX": "/srv/conda/envs/notebook"}
    done = subprocess.run([script], cwd=tmp_path, env=env, capture_output=True, text=True)
    prefix, _, command = done.stdout.strip().partition(": ")
    assert (done.returncode, prefix) == (0, "/srv/conda/envs/notebook"), done.stderr
    check_command(command)
    bench.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    assert subprocess.run([script], cwd=tmp_path, env=env).returncode == 3, "a failure is one"


# ── Docker ───────────────────────────────────────────────────────────────────────────────────────


def instructions() -> list[tuple[str, str]]:
    """(INSTRUCTION, its arguments) of the Dockerfile, continued lines put together."""
    lines = re.sub(r"^#.*\n", "", read("Dockerfile"), flags=re.MULTILINE).replace("\\\n", " ")
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines.splitlines() if line]


def test_the_image_is_pinned_runs_without_root_and_leaves_the_start_to_jupyters():
    found = instructions()
    first, base = found[0]
    assert first == "FROM" and re.fullmatch(r"[\w./-]+:python-[\d.]+", base)
    assert f"python ={base.partition('-')[2].rpartition('-')[2]}\n" in read("environment.yml")
    users = [value for name, value in found if name == "USER"]
    assert users[0] == "root" and users[-1] == "${NB_UID}"
    # a start, a port or an address of our own would be in a hub's way
    assert {name for name, _ in found} == {"FROM", "USER", "COPY", "RUN", "WORKDIR"}


def test_the_image_copies_what_is_there_and_runs_our_commands():
    found = instructions()
    for name, value in found:
        if name == "COPY":
            *sources, _ = [word for word in value.split() if not word.startswith("--")]
            assert sources and all((ROOT / source).exists() for source in sources)
    ours = [value for name, value in found if name == "RUN" and "./bench" in value]
    assert ours
    for value in ours:
        check_command(value)
    ignored = read(".dockerignore").split("\n")
    assert {".venv", "node_modules", ".benchbook"} <= set(ignored)


# ── GitHub Actions ───────────────────────────────────────────────────────────────────────────────

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def rows(text: str) -> list[dict[str, str]]:
    """The rows of a workflow's matrix."""
    block = text.partition("include:\n")[2].partition("    runs-on:")[0]
    block = re.sub(r"^ *#.*\n", "", block, flags=re.MULTILINE)
    return [
        dict(line.strip().split(": ", 1) for line in row.splitlines() if line.strip())
        for row in block.split("- ")[1:]
    ]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.stem)
def test_a_workflow_may_only_read_and_names_the_version_of_each_action(path):
    text = path.read_text(encoding="utf-8")
    assert "\npermissions:\n  contents: read\n\n" in text
    assert "secrets" not in text
    more = re.findall(r"^    permissions:\n((?:      .*\n)+)", text, re.MULTILINE)
    assert text.count("permissions:") == 1 + len(more)
    # who publishes shows the index who it is, and may do nothing else
    assert set(more) <= ({"      id-token: write\n"} if path.stem == "release" else set())
    used = re.findall(r"uses: (\S+)", text)
    assert used and all(re.fullmatch(r"[\w-]+/[\w-]+@v\d+(\.\d+)*", each) for each in used)
    assert "persist-credentials: false" in text


def test_the_conda_route_is_tried_on_three_systems():
    text = read(".github/workflows/conda.yml")
    systems = rows(text)
    assert {row["os"].split("-")[0] for row in systems} == {"ubuntu", "macos", "windows"}
    commands = re.findall(r"- run: (.+)", text)
    for row in systems:
        plain = [re.sub(r"\$\{\{ matrix\.(\w+) \}\}", lambda m: row[m[1]], c) for c in commands]
        for command in plain:
            check_command(command)
        called = {command.split()[1] for command in plain}
        assert {"setup", "run", "test"} <= called
        for word in row["tests"].split():
            assert word.startswith("--") or (ROOT / word).is_dir()
