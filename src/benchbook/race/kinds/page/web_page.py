"""A page experiment's parts: its app, published with a server; npm packages; a browser to open it.

All clients in C# are in one app, and its address says which one is wanted; those in JavaScript are
modules of a page beside it. Each page offers `window.client` to the driver, pages.mjs.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchbook.model import experiments
from benchbook.model.experiments import Experiment
from benchbook.model.kinds.page import Page
from benchbook.model.variants import Variant
from benchbook.programs import app_builds, browser, npm, programs, readiness, runners
from benchbook.programs.programs import Program
from benchbook.programs.readiness import Say
from benchbook.system import paths, tidying
from benchbook.system.dialogue import Dialogue, Ended
from benchbook_kernels.base import builds
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.base.processes import Keeper, ended_within

DRIVER = "race/kinds/page/pages.mjs"
GRACE_SECONDS = 5.0  # Chromium may take so long to end
PROPS = "<Project><PropertyGroup>{}</PropertyGroup></Project>\n"


class PageError(BenchError):
    """A page's server or browser that failed."""


def find(which: str) -> Experiment:
    """The experiment with a page that is meant by 07, 07/browser, a name or a folder.

    Raises InputError where there is none.
    """
    pages = [
        experiment for experiment in experiments.named(which) if isinstance(experiment.kind, Page)
    ]
    if pages:
        return pages[0]
    found = experiments.find(which)  # or it says what is wrong with the name
    if not isinstance(found.kind, Page):
        with_page = [e.number for e in experiments.load_all() if isinstance(e.kind, Page)]
        problem = f"has no web page (these have: {', '.join(with_page) or 'none'})"
        raise InputError(f"experiment {found.number}", "", problem)
    return found


def is_csharp(variant: Variant) -> bool:
    """Is the client C# on WebAssembly, and not a JavaScript module?"""
    return variant.path.suffix != ".mjs"


@dataclass(frozen=True)
class App:
    """The page, as it was published with some settings, and the clients that are opened in it.

    server: its project; packages: of npm.
    """

    server: Variant
    packages: tuple[str, ...]
    clients: tuple[Variant, ...]


def make_apps(
    experiment: Experiment,
    chosen: Sequence[Variant],
    say: Say,
    check: Callable[[dict[str, str]], None] = lambda reasons: None,
) -> tuple[list[App], dict[str, str]]:
    """As published, of the chosen clients that have what they need.

    Also why a client is unavailable, by name, '' where it is not. NuGet is asked before, by
    readiness.look_for_packages. check: as of readiness.make_ready.
    """
    reasons = {variant.name: readiness.lacking(variant) for variant in chosen}
    check(reasons)
    there = [variant for variant in chosen if not reasons[variant.name]]
    apps, failed = published(experiment, there, say)
    return apps, reasons | failed


def published(
    experiment: Experiment, there: Sequence[Variant], say: Say
) -> tuple[list[App], dict[str, str]]:
    """Publish the page, unless that was done: once for each of the settings (env) that clients ask
    for. Also why it could not be published for some, by name."""
    apps, failed = list[App](), dict[str, str]()
    for wanted in dict.fromkeys(tuple(variant.env.items()) for variant in there):
        settings = dict(wanted)
        clients = tuple(variant for variant in there if variant.env == settings)
        page = experiment.kind_as(Page)
        titled = " ".join(["the page", *(f"with {name}={v}" for name, v in settings.items())])
        try:
            server = Variant("server", titled, staged(experiment, settings), publish=True)
            runners.get(server.path).build(server, say)
            apps.append(App(server, page.packages, clients))
        except BenchError as error:
            failed |= {client.name: error.message for client in clients}
    return apps, failed


def staged(experiment: Experiment, settings: Mapping[str, str]) -> Path:
    """The server's project: the experiment's own, or that of a copy, with settings as properties
    of MSBuild, with the reader's edits, and without packages that can't be had (Without…)."""
    server = experiment.kind_as(Page).server
    edits = [v.path for v in experiment.variants if v.edited and is_csharp(v)]
    properties = [f"{name}={value}" for name, value in settings.items()]
    properties += app_builds.without(readiness.lacking_packages(experiment.variants))
    if not edits and not properties and server.is_relative_to(paths.root()):
        return server
    props = PROPS.format(app_builds.props(sorted(properties)))
    digest = hashlib.sha256(f"{builds.build_folder(server).name}{props}".encode())
    for path in edits:
        digest.update(f"{path.name}\0".encode() + path.read_bytes() + b"\0")
    folder = paths.scratch() / f"page-{digest.hexdigest()[:16]}"
    done = folder / "Directory.Build.props"  # written last
    if not done.is_file():
        shutil.rmtree(folder, ignore_errors=True)
        made = shutil.ignore_patterns("bin", "obj", "node_modules")
        shutil.copytree(experiment.home, folder, ignore=made)
        for path in edits:
            place = next(p for p in folder.rglob(path.name) if p.parts[-2:] == path.parts[-2:])
            shutil.copyfile(path, place)
        done.write_text(props, encoding="utf-8")
    tidying.touch(folder)
    return folder / server.relative_to(experiment.home)


@dataclass
class Site:
    """An app that is served on 127.0.0.1, from a folder with all that it gives out."""

    app: App
    folder: Path
    program: Program

    @classmethod
    def start(cls, app: App, keeper: Keeper, port: int = 0) -> "Site":
        """Raises VariantError where the server can't be started."""
        folder = assemble(app)
        out = runners.built_in(app.server) / "out"
        env = {"ASPNETCORE_CONTENTROOT": str(out), "ASPNETCORE_WEBROOT": str(folder)}
        try:
            program = programs.start(app.server, keeper, port=port, env=env)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        site = cls(app, folder, program)
        try:
            programs.await_ready(program, "/")
        except BaseException:
            site.close(keeper)
            raise
        return site

    @property
    def address(self) -> str:
        return f"http://{programs.HOST}:{self.program.port}/"

    def has(self, variant: Variant) -> bool:
        """Is it a client of this page, or the copy of one?"""
        return any(c.path == variant.path and c.env == variant.env for c in self.app.clients)

    def address_of(self, variant: Variant) -> str:
        """The page with this client."""
        if is_csharp(variant):
            return f"{self.address}?client={variant.path.stem}"
        folder = f"edits/{variant.path.stem}" if variant.edited else variant.path.parent.name
        return f"{self.address}{folder}/index.html?module={variant.path.name}"

    def close(self, keeper: Keeper) -> None:
        self.program.end(keeper)
        shutil.rmtree(self.folder, ignore_errors=True)


def assemble(app: App) -> Path:
    """All that a server gives out, in a new folder: the page, npm packages, edited JavaScript."""
    paths.scratch().mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="page-", dir=paths.scratch()))
    wwwroot = runners.built_in(app.server) / "out" / "wwwroot"
    shutil.copytree(wwwroot, folder, dirs_exist_ok=True)
    for package in app.packages:
        if npm.installed(package):
            source = paths.root() / "node_modules" / package
            shutil.copytree(source, folder / "packages" / package)
    for client in app.clients:
        if client.edited and not is_csharp(client):
            shutil.copytree(client.path.parent, folder / "edits" / client.path.stem)
    return folder


@contextmanager
def served(experiment: Experiment, say: Say, port: int = 0) -> Iterator[Site]:
    """The page, for a reader's own browser, as long as the context lasts; it needs no Chromium.

    Raises BenchError where the server can't be started.
    """
    clients = [
        replace(v, needs=tuple(need for need in v.needs if not need.startswith("browser:")))
        for v in experiment.variants
        if not v.env
    ]
    readiness.look_for_packages(experiment.variants)
    apps, reasons = make_apps(experiment, clients, say)
    for name, reason in reasons.items():
        if reason:
            say(f"without '{name}': {reason}")
    if not apps:
        raise PageError(f"the page can't be built: {next(iter(reasons.values()))}")
    with Keeper() as keeper:
        site = Site.start(apps[0], keeper, port)
        try:
            yield site
        finally:
            site.close(keeper)


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


def visits(site: Site, count: int) -> list[dict[str, Any]]:
    """Load the page itself so many times in Chromium, with an empty cache and then again.

    Of each: {"first": …, "later": {"ms": until data is shown, "files": [{name, sent, bytes}]}}.
    Raises BenchError.
    """
    if reason := browser.lacks():
        raise PageError(reason)
    found = []
    with Keeper() as keeper:
        chromium = Browser.start(keeper)
        for _ in range(count):
            answer = chromium.ask({"visit": site.address})
            if "error" in answer:
                raise PageError(f"the page can't be loaded: {answer['error']}", "./bench page")
            found.append(answer)
        chromium.close(keeper)
    return found
