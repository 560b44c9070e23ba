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


class FromNpm(Ready):
    """A runtime whose binary npm has; name: in words, whose small letters npm's package has."""

    name: str
    folders: tuple[str, ...]  # in node_modules, where npm puts the binary
    suffixes: tuple[str, ...]
    late = False
    tiered = False

    @property
    def binary(self) -> str:
        """The path of its binary, '' where there is none."""
        return binary(self.name.lower(), *self.folders)

    def missing(self) -> str:
        if self.binary:
            return ""
        line = f"npm install --no-save {self.name.lower()} ({SIZE})"
        return f"{self.name} is not installed; get it with: {line}"

    def software(self, variant: Variant) -> str:
        return f"{self.name} {version(self.name.lower(), self.binary)}"


class Deno(FromNpm):
    """https://deno.com

    A file may import the packages of this project by their names. It may use its own port and read
    its own environment variables, and no more.
    """

    name, folders = "Deno", ("@deno/*",)
    suffixes = (".ts",)

    def command(self, variant: Variant, ports: Mapping[str, int], folder: Path) -> list[str]:
        offline = ["--cached-only", "--node-modules-dir=manual", "--no-lock", "--no-config"]
        net = ",".join(f":{port}" for port in ports.values())
        names = ",".join([*ports, *variant.env])
        allowed = ["--no-prompt"]
        allowed += [
            f"--allow-{what}={which}" for what, which in (("net", net), ("env", names)) if which
        ]
        return [self.binary, "run", *offline, *allowed, str(variant.path)]

    def by_hand(self, variant: Variant) -> str:
        names = ",".join(["PORT", *variant.env])
        options = f"--no-lock --allow-net=:8080 --allow-env={names}"
        return f"{settings(variant)} npx deno run {options} {paths.relative(variant.path)}"


class Bun(FromNpm):
    """https://bun.com

    It installs no package that is missing, and reads no .env of the folder that it starts in.
    """

    name, folders = "Bun", ("@oven/*/bin", "bun/bin")
    suffixes = ()

    def command(self, variant: Variant, ports: Mapping[str, int], folder: Path) -> list[str]:
        return [self.binary, "run", "--no-install", "--no-env-file", str(variant.path)]

    def by_hand(self, variant: Variant) -> str:
        return f"{settings(variant)} npx bun run {paths.relative(variant.path)}"


def binary(name: str, *folders: str) -> str:
    """Where npm's packages have it for this system, else where PATH has it.

    Install scripts only copy it (Deno's) or move it (Bun's, whose package has a few lines of text
    in its place before).
    """
    modules, names = paths.root() / "node_modules", (name, f"{name}.exe")
    found = (path for folder in folders for path in sorted(modules.glob(f"{folder}/{name}*")))
    whole = (str(path) for path in found if path.name in names and path.stat().st_size > 1 << 20)
    return next(whole, shutil.which(name) or "")
