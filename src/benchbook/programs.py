"""Start, await and end one variant: a program that serves HTTP on 127.0.0.1:$PORT.

The contract (DESIGN.md): it listens on 127.0.0.1:$PORT only, is ready when its path answers, and
ends on SIGTERM. Whoever breaks it gets a VariantError that names the variant and the remedy.
"""

import http.client
import json
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import IO

from benchbook import paths, processes
from benchbook.errors import BenchError
from benchbook.experiments import Experiment, Variant
from benchbook.processes import Keeper

HOST = "127.0.0.1"
NODE = (".js", ".mjs", ".cjs")
PORTS = (20000, 32768)
given_ports: deque[int] = deque(maxlen=1000)  # by free_port: their servers may not listen yet


class VariantError(BenchError):
    """One variant can't take part; the others go on."""

    def __init__(self, variant: Variant, problem: str, remedy: str = ""):
        super().__init__(f"variant '{variant.name}' {problem}", remedy)
        self.variant = variant


@dataclass
class Program:
    """A started variant. cpus: where it is put once it is ready; None: it is there, or anywhere."""

    variant: Variant
    port: int
    process: subprocess.Popen
    output: IO[bytes]
    members: tuple[int, ...] = ()
    cpus: Sequence[int] | None = None

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def last_words(self, lines: int = 6) -> str:
        """The end of what it printed, for a message."""
        self.output.seek(0)
        text = self.output.read().decode("utf-8", "replace")
        kept = [line for line in text.strip().splitlines() if line.strip()][:40]
        wanted = [line for line in kept if "Error" in line][:2] or kept[-lines:]
        return "\n".join(f"    {line.strip()}" for line in wanted)


def unavailable(variant: Variant) -> str:
    """Why a variant can't run on this machine, with the remedy; '' where it can."""
    if variant.path.suffix not in NODE:
        known = ", ".join(NODE)
        return f"no way to run a {variant.path.suffix or 'file without ending'} (known: {known})"
    if not shutil.which("node"):
        return "Node.js is not installed; `./bench doctor` says how to get it"
    for need in variant.needs:
        package = need.removeprefix("npm:")
        if not installed(package):
            return f"the npm package {package} is not installed; get it with: ./bench setup"
    return ""


@cache
def installed(package: str) -> str:
    """The version of an npm package in the checkout, '' where it is missing."""
    try:
        path = paths.root() / "node_modules" / package / "package.json"
        return json.loads(path.read_text(encoding="utf-8"))["version"]
    except (OSError, ValueError, KeyError):
        return ""


def stage(experiment: Experiment, folder: Path) -> Experiment:
    """The experiment, copied to `folder` (within the checkout) if it lies outside of the checkout.

    So that a copied experiment folder, wherever it is, finds the checkout's node_modules.
    """
    if experiment.folder.is_relative_to(paths.root()):
        return experiment
    shutil.copytree(experiment.folder, folder, ignore=shutil.ignore_patterns("node_modules"))
    old = experiment.folder.resolve()
    moved = tuple(
        v if v.edited else replace(v, path=folder / v.path.relative_to(old))
        for v in experiment.variants
    )
    return replace(experiment, variants=moved)


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on, and that was not given before.

    From below the range that systems take for outgoing connections (Linux: from 32768, others from
    49152), so that no client of ours can take it before the server does.
    """
    while True:
        port = random.randrange(*PORTS)
        if port in given_ports:
            continue
        with socket.socket() as probe:
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
        given_ports.append(port)
        return port


def check_port(variant: Variant, port: int) -> None:
    """Raises VariantError where somebody already listens on a port that was asked for."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            who = processes.listener(port)
            raise VariantError(
                variant,
                f"can't listen: port {port} is in use" + (f" by {who}" if who else ""),
                "end that program, or choose another first port with --port, or leave --port out",
            ) from None


def start(
    variant: Variant,
    keeper: Keeper,
    cpus: Sequence[int] | None = None,
    port: int = 0,
    env: Mapping[str, str] | None = None,
) -> Program:
    """Start a variant on a port of its own (any free one where `port` is 0).

    env: environment variables for it, beside PORT and NODE_ENV.
    Raises VariantError where the port is in use or the program can't be started.
    """
    if port:
        check_port(variant, port)
    port = port or free_port()
    output = tempfile.TemporaryFile()
    # Node.js does not size itself by the CPUs it may use, so it may start on all of them
    late = sys.platform.startswith("linux") and variant.path.suffix in NODE
    try:
        process = keeper.start(
            ["node", str(variant.path)],
            cwd=variant.path.parent,
            env={"PORT": str(port), "NODE_ENV": "production", **(env or {})},
            stdout=output,
            stderr=output,
            cpus=None if late else cpus,
        )
    except OSError as error:
        raise VariantError(variant, f"can't be started: {error}", "./bench doctor") from None
    return Program(variant, port, process, output, cpus=cpus if late else None)


def await_ready(program: Program, path: str) -> None:
    """Wait until the program's path answers, and check the contract.

    Raises VariantError where it ends, doesn't answer in time, or listens elsewhere.
    """
    variant = program.variant
    deadline = time.monotonic() + variant.ready_seconds
    while not (answers(program.port, path) and listens(program)):
        if not program.alive:
            raise ended(program, "at start")
        if time.monotonic() > deadline:
            raise VariantError(
                variant,
                f"did not answer on {HOST}:{program.port}{path} within "
                f"{variant.ready_seconds:g} s\n{program.last_words()}".rstrip(),
                "it must listen on 127.0.0.1 and the port in the environment variable PORT; "
                "give it longer with ready_seconds in experiment.toml",
            )
        time.sleep(0.01)
    check_listening(program)
    program.members = tuple(processes.family(program.process.pid))
    if program.cpus:
        processes.move(program.members, program.cpus)


def listens(program: Program) -> bool:
    """Is it the program itself that listens on its port, and not somebody else?

    True where the system does not tell who listens (macOS, without root).
    """
    sockets = processes.listening(program.process.pid)
    return any(port == program.port for _, port in sockets) or not processes.TELLS_LISTENERS


def check_listening(program: Program) -> None:
    """Raises VariantError where the program listens elsewhere than on 127.0.0.1:$PORT."""
    sockets = processes.listening(program.process.pid)
    wide = [address for address, _ in sockets if address not in (HOST, "::1")]
    if wide:
        raise VariantError(
            program.variant,
            f"listens on {wide[0]}, where other machines can reach it",
            "listen on 127.0.0.1 only",
        )
    if sockets and (HOST, program.port) not in sockets:
        raise VariantError(
            program.variant,
            f"does not listen on {HOST}:{program.port} itself; it has {sockets}",
            "listen on 127.0.0.1 and the port in the environment variable PORT",
        )


def ended(program: Program, when: str) -> VariantError:
    """The error for a program that is no longer there."""
    code = program.process.returncode
    how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
    words = program.last_words()
    remedy = f"run it by hand: PORT=8080 node {paths.relative(program.variant.path)}"
    if "EADDRINUSE" in words:
        remedy = "its port is in use: it must listen on the port in the variable PORT, and no other"
    return VariantError(program.variant, f"{how} {when}\n{words}".rstrip(), remedy)


def answers(port: int, path: str) -> bool:
    """Does an HTTP server answer there, whatever it says?"""
    connection = http.client.HTTPConnection(HOST, port, timeout=1)
    try:
        connection.request("GET", path)
        connection.getresponse().read()
        return True
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
