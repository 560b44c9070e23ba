"""The runtimes of JavaScript: Node.js, Deno and Bun.

Node.js is the one on PATH. Of Deno and Bun npm has a binary for each system, which set-up gets with
the other packages (each takes about 100 MB of disk); else the one on PATH counts.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path

from benchbook.model.variants import Variant
from benchbook.programs import node_versions
from benchbook.programs.runtimes.ready import Ready, settings, version
from benchbook.system import paths

SIZE = "about 100 MB"  # of either binary, unpacked


class Node(Ready):
    """https://nodejs.org"""

    suffixes = (".js", ".mjs", ".cjs", ".mts", ".cts")
    late = True
    tiered = False

    def missing(self) -> str:
        return "" if shutil.which("node") else "Node.js is not installed; ./bench doctor says how"

    def software(self, variant: Variant) -> str:
        return f"Node.js {version('node', node_versions.command(variant.needs))}"

    def command(self, variant: Variant, ports: Mapping[str, int], folder: Path) -> list[str]:
        return [node_versions.command(variant.needs), str(variant.path)]

    def by_hand(self, variant: Variant) -> str:
        return f"{settings(variant)} node {paths.relative(variant.path)}"


class Deno(Ready):
    """https://deno.com

    A file may import the packages of this project by their names. It may use its own port and read
    its own environment variables, and no more.
    """

    suffixes = (".ts",)
    late = False
    tiered = False

    def missing(self) -> str:
        return "" if deno() else f"Deno is not installed; {remedy('deno')}"

    def software(self, variant: Variant) -> str:
        return f"Deno {version('deno', deno())}"

    def command(self, variant: Variant, ports: Mapping[str, int], folder: Path) -> list[str]:
        offline = ["--cached-only", "--node-modules-dir=manual", "--no-lock", "--no-config"]
        net = ",".join(f":{port}" for port in ports.values())
        names = ",".join([*ports, *variant.env])
        allowed = ["--no-prompt"]
        allowed += [
            f"--allow-{what}={which}" for what, which in (("net", net), ("env", names)) if which
        ]
        return [deno(), "run", *offline, *allowed, str(variant.path)]

    def by_hand(self, variant: Variant) -> str:
        names = ",".join(["PORT", *variant.env])
        options = f"--no-lock --allow-net=:8080 --allow-env={names}"
        return f"{settings(variant)} npx deno run {options} {paths.relative(variant.path)}"


class Bun(Ready):
    """https://bun.com

    It installs no package that is missing, and reads no .env of the folder that it starts in.
    """

    suffixes = ()
    late = False
    tiered = False

    def missing(self) -> str:
        return "" if bun() else f"Bun is not installed; {remedy('bun')}"

    def software(self, variant: Variant) -> str:
        return f"Bun {version('bun', bun())}"

    def command(self, variant: Variant, ports: Mapping[str, int], folder: Path) -> list[str]:
        return [bun(), "run", "--no-install", "--no-env-file", str(variant.path)]

    def by_hand(self, variant: Variant) -> str:
        return f"{settings(variant)} npx bun run {paths.relative(variant.path)}"


def remedy(name: str) -> str:
    return f"get it with: npm install --no-save {name} ({SIZE})"


def deno() -> str:
    """The path of Deno's binary, '' where there is none."""
    return binary("deno", "@deno/*")


def bun() -> str:
    """The path of Bun's binary, '' where there is none."""
    return binary("bun", "@oven/*/bin", "bun/bin")


def binary(name: str, *folders: str) -> str:
    """Where npm's packages have it for this system, else where PATH has it.

    Install scripts only copy it (Deno's) or move it (Bun's, whose package has a few lines of text
    in its place before).
    """
    modules, names = paths.root() / "node_modules", (name, f"{name}.exe")
    found = (path for folder in folders for path in sorted(modules.glob(f"{folder}/{name}*")))
    whole = (str(path) for path in found if path.name in names and path.stat().st_size > 1 << 20)
    return next(whole, shutil.which(name) or "")
