"""`--node 20,22` and `--dotnet 8,9`: programs by several versions of their runtime."""

import os
import re
from collections.abc import Sequence
from dataclasses import replace

from benchbook.compare.given import typed
from benchbook.compare.given.choice import Axis, Choice
from benchbook.model.variants import Variant
from benchbook.programs import dotnet_versions, given_environment, node_versions, runners
from benchbook.programs.readiness import Say
from benchbook_kernels.base.errors import BenchError, InputError

NODE, DOTNET = "--node", "--dotnet"
VERSION = re.compile(r"v?(\d+(?:\.\d+(?:\.\d+(?:-[\w.]+)?)?)?)")
NODE_COMMANDS = re.compile(r"(^|[\s/;&|(])(node|npm|npx)(\s|$)")
EARLIEST_DOTNET = 5  # before it there was no one .NET


def numbers(text: str, flag: str) -> list[str]:
    """The versions that are typed. Raises InputError for what is none."""
    matches = {each: VERSION.fullmatch(each) for each in typed.choices(text, flag)}
    for each, match in matches.items():
        if not match:
            raise InputError(flag, "", f"'{each}' is no version", "write numbers: 20,22")
    return [match[1] for match in matches.values() if match]


# ── Node.js ──────────────────────────────────────────────────────────────────────────────────────


def node(text: str, say: Say) -> Axis:
    """Versions of Node.js, got from npm where they are not here. Raises InputError, and BenchError
    for one that can't be had."""
    wanted = numbers(text, NODE)
    node_versions.get(wanted, say)
    return Axis(NODE, tuple(map(node_choice, wanted)), needs_node)


def node_choice(version: str) -> Choice:
    whole = node_versions.whole_number(version)
    binary = node_versions.find(version)

    def change(variant: Variant) -> Variant:
        if not binary:  # the installed one is of that version
            return variant
        needs = (*variant.needs, f"node:{version}")
        if not variant.words:
            return replace(variant, needs=needs)
        usual = given_environment.as_typed().get("PATH") or os.environ["PATH"]
        path = os.pathsep.join([str(binary.parent), variant.env.get("PATH", usual)])
        return replace(variant, needs=needs, env={**variant.env, "PATH": path})

    return Choice(f"node-{version}", f"Node.js {whole}", change)


def needs_node(variant: Variant) -> str:
    if variant.words:
        runs = any(NODE_COMMANDS.search(word) for word in variant.words)
        return "" if runs else "its command names no node"
    return "" if runners.runs_node(variant) else "no Node.js runs it"


# ── .NET ─────────────────────────────────────────────────────────────────────────────────────────


def dotnet(text: str, say: Say) -> Axis:
    """Versions of .NET: installed ones where all are, else builds that bring their runtime, so that
    all are built alike. Raises InputError, and BenchError for a version that can't be had."""
    wanted = numbers(text, DOTNET)
    if missing := runners.Dotnet().missing():
        raise BenchError(missing)
    for version in wanted:
        check_dotnet(version)
    missing_here = [version for version in wanted if version not in dotnet_versions.installed()]
    if not missing_here:
        return Axis(DOTNET, tuple(dotnet_choice(each, each) for each in wanted), needs_dotnet)
    got = {each: dotnet_versions.newest(each) for each in dict.fromkeys([*missing_here, *wanted])}
    whole = {version: got[version] for version in wanted}
    say(f"programs are built with .NET {', '.join(whole.values())} from NuGet, 100 MB each")
    for each in whole.values():
        made_for = dotnet_versions.framework(each).removeprefix("net")
        if made_for.partition(".")[0] != each.partition(".")[0]:
            say(f"for .NET {each} they are compiled for {made_for}, the newest that the SDK knows")
    found = tuple(dotnet_choice(version, exact) for version, exact in whole.items())
    return Axis(DOTNET, found, needs_dotnet)


def check_dotnet(version: str) -> None:
    """Raises InputError for a version before there was one .NET."""
    if int(version.partition(".")[0]) < EARLIEST_DOTNET:
        raise InputError(DOTNET, "", f"there is no .NET {version}", "the first is 5")


def dotnet_choice(version: str, needed: str) -> Choice:
    need = f"dotnet:{needed}"

    def change(variant: Variant) -> Variant:
        return replace(variant, needs=(*variant.needs, need))

    return Choice(f"dotnet-{version}", f".NET {dotnet_versions.told([need])}", change)


def needs_dotnet(variant: Variant) -> str:
    if variant.words:
        return "it is a command, whose .NET is its own business"
    return "" if is_dotnet(variant) else ".NET does not run it"


def is_dotnet(variant: Variant) -> bool:
    return isinstance(runners.find(variant.path), runners.Dotnet)


def unfit(refused: Sequence[tuple[Variant, str]], flag: str) -> InputError:
    """The error of an option for which there is no program."""
    told = "; ".join(f"'{variant.title}': {reason}" for variant, reason in refused)
    return InputError(flag, "", f"is for none of these programs ({told})", "leave it out")
