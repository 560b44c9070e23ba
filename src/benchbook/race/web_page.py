"""A page experiment's parts: its files in one folder, its server, and a browser that opens it.

The page (index.html in the experiment's folder) finds in `clients.json` which clients there are:
[{name, title, module}], module being '' for one of C#, which lies in clients/NAME/_framework. It
offers `window.client` to the driver, tools/pages.mjs.
"""

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchbook.model import experiments, naming
from benchbook.model.experiments import Experiment
from benchbook.model.kinds import Page
from benchbook.model.variants import Variant
from benchbook.programs import browser, builds, programs, runners
from benchbook.programs.programs import Program, Say
from benchbook.setup import bootstrap
from benchbook.system import paths
from benchbook.system.dialogue import Dialogue, Ended
from benchbook.system.errors import BenchError, InputError
from benchbook.system.processes import Keeper, ended_within

DRIVER = "race/pages.mjs"
GRACE_SECONDS = 5.0  # Chromium may take so long to end


class PageError(BenchError):
    """A page's server or browser that failed."""


def find(which: str) -> Experiment:
    """The experiment with a page that is meant by 07, 07/browser, a name or a folder.

    Raises InputError where there is none.
    """
    pages = [experiment for experiment in called(which) if experiment.kind.has_page]
    if pages:
        return pages[0]
    found = experiments.find(which)  # or it says what is wrong with the name
    if not found.kind.has_page:
        with_page = [e.number for e in experiments.load_all() if e.kind.has_page]
        problem = f"has no web page (these have: {', '.join(with_page) or 'none'})"
        raise InputError(f"experiment {found.number}", "", problem)
    return found


def called(which: str) -> list[Experiment]:
    """All parts of the experiment that is meant by a number or a name; none for a folder."""
    return [
        experiments.load(folder)
        for folder in experiments.folders()
        if naming.is_called(which, folder)
    ]


def ask_for_browser(names: Sequence[str]) -> None:
    """Install Chromium where experiments need it (all where none is named) and it is not there.

    What can't be installed stays missing: its variants are unavailable then, and say why.
    """
    if browser.find():
        return
    every = [e for name in names for e in called(name)] if names else experiments.load_all()
    if any(experiment.kind.has_page for experiment in every):
        bootstrap.main(["--with-browser"])


def is_csharp(variant: Variant) -> bool:
    """Is the client C# on WebAssembly, and not a JavaScript module?"""
    return variant.path.suffix != ".mjs"


def assemble(experiment: Experiment, variants: Sequence[Variant]) -> Path:
    """All that the server gives out, in a new folder: the page, built clients, npm packages."""
    paths.scratch().mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="page-", dir=paths.scratch()))
    page = experiment.kind_as(Page)
    shutil.copytree(page.site.parent, folder, dirs_exist_ok=True)
    for package in page.packages:
        if runners.npm_version(package):
            source = paths.root() / "node_modules" / package
            shutil.copytree(source, folder / "packages" / package)
    for variant in variants:
        place = folder / "clients" / variant.name
        if is_csharp(variant):
            shutil.copytree(builds.build_folder(variant.path) / "out", place)
        else:
            shutil.copytree(variant.path.parent, place)
    clients = [
        {"name": v.name, "title": v.title, "module": "" if is_csharp(v) else v.path.name}
        for v in variants
    ]
    (folder / "clients.json").write_text(json.dumps(clients, indent=1), encoding="utf-8")
    return folder


def build_server(experiment: Experiment, say: Say) -> Variant:
    """The server, built, as a program that can be started. Raises PageError."""
    server = Variant("server", "the server", experiment.kind_as(Page).server)
    if reason := programs.make_ready([server], say)["server"]:
        raise PageError(f"the page's server can't be started: {reason}")
    return server


def start_server(server: Variant, folder: Path, keeper: Keeper, port: int = 0) -> Program:
    """Start the server on 127.0.0.1 and wait for it. Raises VariantError."""
    program = programs.start(server, keeper, port=port, env={"WEBROOT": str(folder)})
    try:
        programs.await_ready(program, "/")
    except BaseException:
        program.end(keeper)
        raise
    return program


@contextmanager
def served(experiment: Experiment, say: Say, port: int = 0) -> Iterator[Program]:
    """The page, for a reader's own browser, as long as the context lasts; it needs no Chromium.

    Raises BenchError where the server can't be started.
    """
    clients = [
        replace(v, needs=tuple(need for need in v.needs if not need.startswith("browser:")))
        for v in experiment.variants
    ]
    programs.look_for_packages(clients)
    reasons = programs.make_ready(clients, say)
    for name, reason in reasons.items():
        if reason:
            say(f"without '{name}': {reason}")
    server = build_server(experiment, say)
    folder = assemble(experiment, [v for v in clients if not reasons[v.name]])
    try:
        with Keeper() as keeper:
            yield start_server(server, folder, keeper, port)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def address(program: Program, name: str = "") -> str:
    """The page's URL, with the client of that name, or with the first."""
    return f"http://{programs.HOST}:{program.port}/" + (f"?client={name}" if name else "")


@dataclass
class Browser:
    """Chromium at work, driven by Playwright. version: Chromium's."""

    driver: Dialogue
    version: str = ""

    @classmethod
    def start(cls, keeper: Keeper) -> "Browser":
        """Raises PageError where Chromium can't be started."""
        words = ["node", str(paths.script(DRIVER)), browser.find()]
        started = cls(Dialogue.start(keeper, words, cwd=paths.root()))
        started.version = started.answer(started.driver.hear)["version"]
        return started

    def ask(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """The driver's answer; {"error": …} where the page failed. Raises PageError without one."""
        return self.answer(lambda: self.driver.ask(json.dumps(command)))

    def answer(self, hear: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The driver answers in its own time limits, or ends."""
        try:
            return hear()
        except Ended:
            error = next((line.strip() for line in self.driver.said() if "Error" in line), "")
            problem = f"the browser ended (exit code {self.driver.process.returncode})"
            raise PageError(
                "\n    ".join(filter(None, [problem, error])), "./bench doctor"
            ) from None

    def close(self, keeper: Keeper) -> None:
        """Let Chromium end by itself; what is left is ended."""
        self.driver.hang_up()
        ended_within(self.driver.process, GRACE_SECONDS)
        self.driver.close(keeper)
