"""The virtual environment .venv in the checkout, where editors look for one."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from benchbook.setup.routes.pythons import python_of
from benchbook.setup.steps import Setup, SetupError
from benchbook_kernels.base.files import write_atomically
from benchbook_kernels.base.running import output_of

MARK = "benchbook.json"  # in an environment that set-up made; says nothing until it is finished


def check_place(setup: Setup) -> None:
    """Raises SetupError where .venv is somebody's own: it is not ours to replace."""
    if not is_ours(setup.venv):
        raise SetupError(
            f"{setup.venv} is there already and was not made by this set-up",
            "keep it by moving it away (mv .venv my-venv) or delete it, then ./bench setup again",
        )


def is_ours(place: Path) -> bool:
    """Whether set-up may take this place: it is free, or what is there was made by set-up.

    A link to a conda environment counts as made by set-up: replacing it destroys nothing.
    """
    if place.is_symlink():
        return not place.exists() or (place / "conda-meta").is_dir()
    return not place.exists() or (place / MARK).is_file() or is_empty(place)


def is_empty(place: Path) -> bool:
    return place.is_dir() and not any(place.iterdir())


def finished_venv(setup: Setup) -> dict[str, str]:
    """How the virtual environment was made; empty where none was finished or it does not run."""
    if setup.venv.is_symlink():
        return {}
    with contextlib.suppress(OSError, ValueError):
        made = json.loads((setup.venv / MARK).read_text(encoding="utf-8"))
        if isinstance(made, dict) and output_of([python_of(setup.venv), "-c", "print(1)"]):
            return made
    return {}


def make_venv(setup: Setup, python: Path, arguments: Sequence[str]) -> None:
    """Make .venv anew; it counts only once finish_venv has completed its mark.

    Raises SetupError where somebody's own is in its place.
    """
    check_place(setup)
    (setup.state / "ready").unlink(missing_ok=True)
    clear(setup.venv)
    finish_venv(setup, {})  # not finished, but ours
    with setup.step(f"a virtual environment from {python}"):
        setup.run([python, "-m", "venv", *arguments, setup.venv], timeout=300)


def finish_venv(setup: Setup, made: dict[str, str]) -> None:
    """Mark .venv with how it was made."""
    write_atomically(setup.venv / MARK, json.dumps(made))


def keep_modules_apart(setup: Setup) -> None:
    """Scripts of packages in .venv, as JupyterLab's, are no ES modules, though the package.json of
    the checkout, which Node.js finds above them, says so of ours."""
    write_atomically(setup.venv / "package.json", '{ "type": "commonjs" }\n')


def clear(place: Path) -> None:
    if place.is_symlink():
        place.unlink()
    elif place.exists():
        shutil.rmtree(place)


def link_conda(setup: Setup, prefix: Path) -> None:
    """Let .venv be a link to the conda environment, so that editors find that one, too."""
    if setup.venv.is_symlink() and setup.venv.resolve() == prefix.resolve():
        return
    if not is_ours(setup.venv):
        setup.notes.append(
            f"{setup.venv} was not made by this set-up and was left alone; in an editor choose "
            f"the Python of {prefix}"
        )
        return
    clear(setup.venv)
    setup.venv.symlink_to(prefix, target_is_directory=True)


def recipe_of(root: Path, route: str, python: Path) -> str:
    """What a virtual environment is made from: if it changes, the environment is made anew."""
    requirements = (root / "requirements.txt").read_bytes() if route == "pip" else b""
    digest = hashlib.sha256(requirements).hexdigest()[:12]
    version = output_of([python, "-c", "import sys; print(sys.version_info[:2])"])
    return " ".join([route, str(root), str(python), str(version), digest])
