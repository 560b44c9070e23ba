"""Start, await and end one variant: a program that serves HTTP on 127.0.0.1:$PORT.

The contract (docs/architecture.md): it listens on 127.0.0.1:$PORT only, is ready when its path
answers, and ends on SIGTERM. For a load from another host (load_from.py) it listens on another
address. Whoever breaks it gets a VariantError that names the variant and the remedy.
"""

import http.client
import json
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from benchbook.model.variants import Variant
from benchbook.programs import given_environment, readiness, runners
from benchbook.programs.runners import Runner
from benchbook.system import asking, connections, scheduling, session
from benchbook_kernels.base import processes
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.base.processes import Keeper

HOST = "127.0.0.1"
TRY_SECONDS = 1.0  # how long one try waits for an answer; until it is ready there are many
STACK_FRAME = re.compile(r"\s*at ")
PORTS = (20000, 32768)
given_ports: deque[int] = deque(maxlen=1000)  # by free_port: their servers may not listen yet


class VariantError(BenchError):
    """One variant can't take part; the others go on."""

    def __init__(self, variant: Variant, problem: str, remedy: str = ""):
        super().__init__(f"variant '{variant.name}' {problem}", remedy)
        self.variant = variant


@dataclass
class Program:
    """A started variant: its processes (a backend before what passes requests on to it).

    folder: for its temporary files, such as System.Web's of each site; it goes when it is ended.
    cpus: where it is put once it is ready; None: it is there, or anywhere.
    backend_port: where its backend listens; 0 where it has none; address: where it listens itself;
    path: what it is asked.
    """

    variant: Variant
    port: int
    processes: list[subprocess.Popen[bytes]]
    output: IO[bytes]
    folder: Path
    members: tuple[int, ...] = ()
    cpus: Sequence[int] | None = None
    backend_port: int = 0
    address: str = HOST
    path: str = "/"

    @property
    def url(self) -> str:
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"http://{host}:{self.port}{self.path}"

    @property
    def alive(self) -> bool:
        return all(process.poll() is None for process in self.processes)

    def end(self, keeper: Keeper) -> None:
        """End its processes and forget what it printed and wrote."""
        end_all([self], keeper)

    def last_words(self, lines: int = 6) -> str:
        """What went wrong by what it printed, or else the end of that, for a message."""
        self.output.seek(0)
        text = self.output.read().decode("utf-8", "replace")
        kept = [line for line in text.strip().splitlines() if line.strip()][:40]
        named = [line for line in kept if re.search("Error|Exception", line)]
        wanted = [line for line in named if not STACK_FRAME.match(line)][:2] or kept[-lines:]
        words = [line.strip() for line in wanted]
        name = self.variant.path.name
        place = re.search(rf"{re.escape(name)}(?::|\", line )(\d+)", text)
        if words and place and named and name not in words[0]:
            words[0] += f" ({name}, line {place[1]})"
        return "\n".join(f"    {line}" for line in words)


def free_port(address: str = HOST) -> int:
    """A port of an address that nobody listens on, and that was not given before.

    From below the range that systems take for outgoing connections (Linux: from 32768, others from
    49152), so that no client of ours can take it before the server does.
    """
    while True:
        port = random.randrange(*PORTS)
        if port in given_ports:
            continue
        with socket.socket() as probe:
            try:
                probe.bind((address, port))
            except OSError:
                continue
        given_ports.append(port)
        return port


def check_port(variant: Variant, port: int, address: str = HOST) -> None:
    """Raises VariantError where somebody already listens on a port that was asked for."""
    with socket.socket() as probe:
        if sys.platform != "win32":  # there it would take a port that somebody listens on
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            who = processes.listener(port)
            raise VariantError(
                variant,
                f"can't listen: port {port} is in use" + (f" by {who}" if who else ""),
                "end that program, or choose another first port with --port, or leave --port out",
            ) from None


@dataclass(frozen=True)
class Command:
    """A process of a program: its command line, where it runs, and its environment."""

    words: list[str]
    folder: Path
    env: dict[str, str]


Prepared = Callable[[Command], Command]  # of a process, before it is started


def start(
    variant: Variant,
    keeper: Keeper,
    cpus: Sequence[int] | None = None,
    port: int = 0,
    env: Mapping[str, str] | None = None,
    address: str = HOST,
    prepared: Prepared | None = None,
) -> Program:
    """Start a variant on a port of its own (any free one where `port` is 0).

    env: environment variables for it, beside PORT and NODE_ENV. address: where its code listens.
    prepared: changes how its processes are started.
    Raises VariantError where the port is in use or the program can't be started.
    """
    if port:
        check_port(variant, port, address)
    port = port or free_port(address)
    output = tempfile.TemporaryFile()
    folder = Path(tempfile.mkdtemp(dir=keeper.folder))
    whole = readiness.parts(variant)
    late = sys.platform.startswith("linux") and all(runner.late for runner, _ in whole)
    put = cpus if late else None  # once it is ready
    program = Program(variant, port, [], output, folder, cpus=put, address=address)
    try:
        commands = commands_of(program, whole, env)
        if prepared:
            commands = [prepared(command) for command in commands]
        for command in in_one_session(commands):
            started = keeper.start(
                [*scheduling.prefix(), *command.words],
                cwd=command.folder,
                env={"TMPDIR": str(folder), **command.env},
                stdout=output,
                stderr=output,
                cpus=None if late else cpus,
            )
            program.processes.append(started)
    except (OSError, InputError) as error:
        program.end(keeper)
        raise VariantError(variant, f"can't be started: {error}", "./bench doctor") from None
    return program


def commands_of(
    program: Program,
    whole: Sequence[tuple[Runner, Variant]],
    env: Mapping[str, str] | None,
) -> list[Command]:
    """The processes of a program, its backend first."""
    ports, commands, cpus = {"PORT": program.port}, [], program.cpus
    for i, (runner, part) in enumerate(whole):
        own = dict(ports)
        if i + 1 < len(whole):  # the backend
            own = {"PORT": free_port()}
            ports["BACKEND_PORT"] = program.backend_port = own["PORT"]
        environment = {
            **given_environment.environment(),
            # https://learn.microsoft.com/dotnet/core/runtime-config/threading
            **({"DOTNET_PROCESSOR_COUNT": str(len(cpus))} if cpus else {}),
            **part.env,
            **{k: str(v) for k, v in own.items()},
            **(env or {}),
        }
        words = runner.command(part, own, program.folder)
        commands.append(Command(words, part.runs_in, environment))
    return commands


def in_one_session(commands: list[Command]) -> list[Command]:
    """What to start so that all processes of a program share one scheduling group (Linux)."""
    if len(commands) < 2 or not sys.platform.startswith("linux"):
        return commands
    told = [{"words": c.words, "folder": str(c.folder), "env": c.env} for c in commands]
    words = [sys.executable, session.__file__, json.dumps(told)]
    return [Command(words, commands[0].folder, {})]


def end_all(programs: Sequence[Program], keeper: Keeper) -> None:
    """As Program.end, for several at once."""
    keeper.end_all([process for program in programs for process in program.processes])
    for program in programs:
        program.output.close()
        shutil.rmtree(program.folder, ignore_errors=True)


def await_ready(program: Program, path: str) -> None:
    """Wait until the program's path answers, and check the contract.

    It is asked only a moment after it began to listen: .NET's HttpListener dies of a connection
    that comes while it starts (https://github.com/dotnet/corefx/issues/35191).
    Raises VariantError where it ends, doesn't answer in time, or listens elsewhere.
    """
    variant = program.variant
    deadline = time.monotonic() + variant.ready_seconds
    listening, sockets = False, []
    while not (listening and ready(program, path)):
        if not program.alive:
            raise ended(program, "at start")
        if time.monotonic() > deadline:
            raise VariantError(
                variant,
                f"did not answer on {program.address}:{program.port}{path}, to the end, within "
                f"{variant.ready_seconds:g} s\n{program.last_words()}".rstrip(),
                f"it must listen on {program.address} and the port in the environment variable "
                "PORT; an experiment can give it longer: ready_seconds",
            )
        if listening or connections.listened(program.port):
            sockets = own_sockets(program)
            listening = listens(program, sockets)
        time.sleep(0.01)
    check_listening(program, sockets)
    program.members = tuple(m for p in program.processes for m in processes.family(p.pid))
    if program.cpus:
        processes.move(program.members, program.cpus)


def ready(program: Program, path: str) -> bool:
    """Does it answer, and first its backend: what stands before that answers 502 without it."""
    if program.backend_port and not answers(program.backend_port, path):
        return False
    return answers(program.port, path, program.address)


def own_sockets(program: Program) -> list[tuple[str, int]]:
    """(address, port) of every socket on which the program listens."""
    return [own for p in program.processes for own in processes.listening(p.pid)]


def listens(program: Program, sockets: Sequence[tuple[str, int]]) -> bool:
    """Is it the program itself that listens on its port, and not somebody else?

    True where the system does not say who listens (macOS, without root).
    """
    return any(port == program.port for _, port in sockets) or not processes.TELLS_LISTENERS


def check_listening(program: Program, sockets: Sequence[tuple[str, int]]) -> None:
    """Raises VariantError where the program listens elsewhere than on its address and $PORT.

    What a backend listens on is between the two only, on 127.0.0.1.
    """
    expected: tuple[str, ...] = (HOST, "::1")
    if program.address != HOST:
        expected = (program.address, HOST) if program.backend_port else (program.address,)
    wide = [address for address, _ in sockets if address not in expected]
    if wide:
        raise VariantError(
            program.variant,
            f"listens on {wide[0]}, where other machines can reach it",
            f"listen on {program.address} only",
        )
    if sockets and (program.address, program.port) not in sockets:
        raise VariantError(
            program.variant,
            f"does not listen on {program.address}:{program.port} itself; it has {sockets}",
            f"listen on {program.address} and the port in the environment variable PORT",
        )


def how_ended(code: int) -> str:
    """What a process's exit code says, as the verb of a sentence; below 0: of a signal."""
    return f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"


def reference_gone(variant: Variant, other: str) -> VariantError:
    """The error of one whose answer must be like that of another one, which is out of the race."""
    problem = f"can't be compared: '{other}', which it must be like, is gone"
    return VariantError(variant, problem, f"see why '{other}' is")


def ended(program: Program, when: str) -> VariantError:
    """The error for a program that is no longer there."""
    codes = [p.returncode for p in program.processes if p.returncode is not None]
    how = how_ended(codes[0]) if codes else f"(process {program.variant.pid}) has ended"
    words = program.last_words()
    runner = runners.of(program.variant)
    remedy = f"run it by hand: {runner.by_hand(program.variant)}"
    if "EADDRINUSE" in words:
        remedy = "its port is in use: it must listen on the port in the variable PORT, and no other"
    return VariantError(program.variant, f"{how} {when}\n{words}".rstrip(), remedy)


def answers(port: int, path: str, address: str = HOST) -> bool:
    """Does an HTTP server answer there, whatever it says, and to the end?"""
    try:
        asking.get(address, port, path, TRY_SECONDS)
        return True
    except (OSError, http.client.HTTPException):
        return False
