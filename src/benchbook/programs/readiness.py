"""What variants need, and how they are made ready: packages, tools, builds, copies."""

import json
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from benchbook.model.experiments import Experiment
from benchbook.model.variants import Variant
from benchbook.programs import browser, dotnet_versions, mono, node_versions, npm, packages, runners
from benchbook.programs.runners import Runner
from benchbook.system import paths
from benchbook_kernels.base import file_based
from benchbook_kernels.base.errors import BenchError

SYSTEM_NAMES = {"linux": "Linux", "macos": "macOS", "windows": "Windows"}
Say = Callable[[str], None]  # told what is going on, in words for the reader


def unavailable(variant: Variant) -> str:
    """Why a variant can't run on this machine, with the remedy; '' where it can.

    That a variant can't be built is known only after make_ready has tried.
    """
    return lacking(variant) or next(
        filter(None, (runner.failure(part) for runner, part in parts(variant))), ""
    )


def lacking(variant: Variant) -> str:
    """What must be installed before a variant can be built or started, '' where all is there."""
    for path in filter(None, (variant.path, variant.backend)):
        if not variant.executable and runners.find(path) is None:
            known = ", ".join(suffix for each in runners.RUNNERS for suffix in each.suffixes)
            return f"no way to run a {path.suffix or 'file without ending'} (known: {known})"
    for need in variant.needs:
        if reason := lacks(need, variant.path.parent):
            return reason
    return next(filter(None, (runner.missing() for runner, _ in parts(variant))), "")


def lacks(need: str, folder: Path | None = None) -> str:
    """Why a need is not met, '' where it is (kinds of needs: experiment.schema.json). A NuGet
    package is asked for by look_for_packages. folder: that of the program, whose own npm packages
    count."""
    kind, _, name = need.partition(":")
    told = {
        "nuget": packages.lacks,
        "workload": packages.lacks_workload,
        "node": node_versions.lacks,
        "dotnet": dotnet_versions.lacks,
        "mono": mono.lacks,
    }
    if kind in told:
        return told[kind](name)
    if kind == "browser":
        return browser.lacks()
    if kind == "npm" and not npm.installed(name, folder):
        ours = folder is None or folder.resolve().is_relative_to(paths.root().resolve())
        get = "./bench setup" if ours and paths.checkout() else f"npm install {name}"
        return f"the npm package {name} is not installed; get it with: {get}"
    if kind == "tool" and not shutil.which(name):
        return f"{name} is not installed"
    systems = {"linux": "linux", "darwin": "macos", "win32": "windows"}
    if kind == "os" and systems.get(sys.platform) != name:
        return f"it runs on {SYSTEM_NAMES[name]} only"
    return ""


def parts(variant: Variant) -> list[tuple[Runner, Variant]]:
    """The programs that a variant consists of, in the order to start them: backend, then itself."""
    whole = [replace(variant, path=variant.backend, backend=None)] if variant.backend else []
    return [(runners.of(part), part) for part in [*whole, variant]]


def software(variant: Variant) -> list[str]:
    """What it is run by, and the packages that it needs, with their versions."""
    packaged = [package_version(need, variant.path.parent) for need in variant.needs]
    run_by = (runner.software(part) for runner, part in parts(variant))
    return [*filter(None, run_by), *filter(None, packaged)]


def package_version(need: str, folder: Path | None = None) -> str:
    """The name and version of a package that is needed, '' for a need of another kind."""
    kind, _, name = need.partition(":")
    version = npm.installed(name, folder) if kind == "npm" else ""
    version = packages.version(name) if kind == "nuget" else version
    return f"{name} {version}" if version else ""


def compiles_in_background(variant: Variant) -> bool:
    """Does it, or what it passes requests on to, go on compiling while it runs?"""
    return any(runner.tiered for runner, _ in parts(variant))


def compiles_early(variant: Variant) -> bool:
    """Does all of it compile what was called a few times (.NET: 30 times, Mono: once)?"""
    return all(runner.tiered or isinstance(runner, runners.Mono) for runner, _ in parts(variant))


def asks_server_gc(variant: Variant) -> bool:
    """Does a .NET program of it, which is built, ask for the garbage collector of servers?"""
    for runner, part in parts(variant):
        if isinstance(runner, runners.Dotnet):
            for path in (runners.built_in(part) / "out").glob("*.runtimeconfig.json"):
                settings = json.loads(path.read_text(encoding="utf-8"))["runtimeOptions"]
                if settings.get("configProperties", {}).get("System.GC.Server"):
                    return True
    return False


def lacking_packages(variants: Sequence[Variant]) -> set[str]:
    """The needs of variants for NuGet packages (nuget:NAME) that can't be had."""
    needs = {need for variant in variants for need in variant.needs}
    return {need for need in needs if need.startswith("nuget:") and lacks(need)}


def look_for_packages(variants: Sequence[Variant]) -> None:
    """Ask NuGet for the packages that variants need, where it did not give them before."""
    needs = (need.partition(":") for variant in variants for need in variant.needs)
    packages.probe(*(name for kind, _, name in needs if kind == "nuget"))


def remark(variant: Variant) -> str:
    """What is not usual about how a variant runs, as sentences; '' where it runs as it should."""
    return " ".join(f"{name} {problem}. {remedy}." for name, problem, remedy in remarks(variant))


def remarks(variant: Variant) -> list[tuple[str, str, str]]:
    """(file, problem, remedy) of each file of a variant that does not run as it should.

    A program that is published on purpose, as a native one, does, and one that is meant to have the
    switches of native AOT; a function is built in a project, or as its experiment means it.
    """
    if variant.publish or variant.aot or variant.benchmark:
        return []
    files = filter(None, (variant.path, variant.backend))
    apps = [path for path in files if isinstance(runners.find(path), runners.Dotnet)]
    told = [(path.name, *file_based.built_for_aot(path)) for path in apps]
    return [each for each in told if each[1]]


def make_ready(
    variants: Sequence[Variant],
    say: Say,
    check: Callable[[dict[str, str]], None] = lambda reasons: None,
) -> dict[str, str]:
    """Build what is to be built; why each variant can't run here, by name, '' where it can.

    check: looks at what is known before the build, may add to it, and raises BenchError where that
    is enough to know that nothing is worth one. A build that failed before is tried again: what was
    missing may have come.
    """
    look_for_packages(variants)
    reasons = {variant.name: lacking(variant) for variant in variants}
    check(reasons)
    wanted = [variant for variant in variants if not reasons[variant.name]]
    build_together(wanted, say)
    for variant in wanted:
        try:
            for runner, part in parts(variant):
                runner.build(part, say)
        except BenchError as error:
            reasons[variant.name] = error.message
    return reasons


def build_together(variants: Sequence[Variant], say: Say) -> None:
    """Build at once what can be built so; what can't, and what fails, is left to make_ready."""
    made = [part for variant in variants for part in parts(variant)]
    for runner in dict.fromkeys(runner for runner, _ in made):
        runner.build_together([part for by, part in made if by is runner], say)


def stage(experiment: Experiment, folder: Path) -> Experiment:
    """The experiment, copied to `folder` (within the checkout) if it lies outside of the checkout.

    So that a copied experiment folder, wherever it is, finds the checkout's node_modules, and its
    own first.
    """
    if experiment.in_place or experiment.folder.is_relative_to(paths.root()):
        return experiment
    old = experiment.home.resolve()
    shutil.copytree(old, folder, ignore=shutil.ignore_patterns("node_modules"))
    link_packages(experiment, folder)
    moved = tuple(
        v
        if v.edited or not v.path.resolve().is_relative_to(old)  # its copy lies elsewhere already
        else replace(
            v,
            path=folder / v.path.relative_to(old),
            backend=v.backend and folder / v.backend.relative_to(old),
        )
        for v in experiment.variants
    )
    return replace(experiment, variants=moved, kind=experiment.kind.moved(old, folder))


def link_packages(experiment: Experiment, folder: Path) -> None:
    """What an experiment outside of the checkout has of the npm packages that it needs: linked into
    a copy of it, which lies where it would not find them."""
    if experiment.home.resolve().is_relative_to(paths.root().resolve()):
        return
    needs = dict.fromkeys(need for variant in experiment.variants for need in variant.needs)
    for kind, _, name in (need.partition(":") for need in needs):
        place = npm.own(name, experiment.folder) if kind == "npm" else None
        if place:
            link = folder / "node_modules" / name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(place, target_is_directory=True)
