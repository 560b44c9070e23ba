"""The load generator on another host, through OpenSSH: `--load-from ssh:HOST --listen ADDRESS`.

Nothing of ours runs there but the scripts of the load generator, in a temporary folder: the host
needs sshd, a POSIX shell and a load generator. One ssh connection is opened and shared
(ControlMaster in ssh_config(5)), so that a sample costs a round trip. Each command ends by itself
when its sample is over, also where the connection breaks.
"""

import ipaddress
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from benchbook import loadtools
from benchbook.load.errors import LoadError
from benchbook.model.samples import LoadHost
from benchbook.programs.programs import HOST
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.processes import Keeper
from benchbook_kernels.base.running import run

CONNECT_SECONDS = 15
CLOCK_RATE = 0.005  # a clock that runs faster or slower by more spoils requests per second
WINDOWS = sys.platform == "win32"

FACTS = """
echo "system=$(uname -s) $(uname -r)"
echo "architecture=$(uname -m)"
echo "cpus=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)"
echo "cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)"
echo "seen=${SSH_CONNECTION%% *}"
for tool in TOOLS timeout; do
  if command -v "$tool" >/dev/null 2>&1; then echo "has=$tool"; fi
done
"""
# a folder there for as long as the connection lasts, however it ends: `cat` waits for that
FOLDER = """folder=$(mktemp -d) && echo "$folder" && cat >/dev/null
rm -rf "$folder"
"""
# seconds since 1970; macOS's date has no %N, but macOS has perl
CLOCK = """now=$(date +%s.%N)
case $now in *N) perl -MTime::HiRes=time -e 'printf "%.6f\\n", time' ;; *) echo "$now" ;; esac"""


@dataclass(frozen=True)
class Clock:
    """How far the other host's clock is ahead of ours, and by how much that may be wrong.

    From the exchange with the shortest round trip, half of which each way may have taken
    (RFC 5905, section 8). `at`: when, by time.monotonic(). All in seconds.
    """

    ahead: float
    error: float
    at: float


@dataclass
class Remote:
    """An open connection to the host that the load comes from. A context: leaving it ends it.

    host: as ssh knows it; folder: a temporary one there; address: where the programs here listen
    for it; tools: what is there; cpu_seconds: what the load generator used in the last sample;
    copies: of programs, which go when the connection ends.
    """

    host: str
    address: str
    keeper: Keeper
    system: str = ""
    architecture: str = ""
    cpu: str = ""
    cpus: int = 1
    folder: str = ""
    tools: set[str] = field(default_factory=set)
    clock: Clock | None = None
    cpu_seconds: float = float("nan")
    master: subprocess.Popen[bytes] | None = None
    copies: Path | None = None

    def __enter__(self) -> "Remote":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def there(self) -> str:
        """For a message: where a command is to be typed."""
        return f" on {self.host} (does a firewall here keep it out?)"

    def command(self, script: str) -> list[str]:
        """The command line that runs a shell script there, over the open connection."""
        shared = ["-S", str(self.keeper.folder / "ssh"), "-o", "BatchMode=yes"]
        return [*ssh(), *shared, self.host, f"sh -c {shlex.quote(script)}"]

    def run(self, script: str, text: str = "") -> str:
        """What a script prints there; `text` is its input. Raises LoadError where it fails."""
        try:
            done = run(self.command(script), timeout=60, input=text)
        except subprocess.TimeoutExpired:
            raise LoadError(f"{self.host} did not answer within 60 s", "is it still up?") from None
        if done.returncode:
            words = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
            raise LoadError(f"a command failed on {self.host}: {' '.join(words)}")
        return done.stdout

    def look(self) -> None:
        """Ask what the host is and has, and compare its clock with ours."""
        tools = " ".join(loadtools.declared())
        for line in self.run(FACTS.replace("TOOLS", tools)).splitlines():
            name, _, value = line.partition("=")
            if name == "has":
                self.tools.add(value)
            elif name == "cpus":
                self.cpus = int(self.number(value, "the number of its CPUs"))
            elif name in ("system", "architecture", "cpu"):
                setattr(self, name, value)
        self.clock = self.compare_clocks()

    def number(self, said: str, what: str) -> float:
        """The number in the last line: the shell of the host may greet before. Raises LoadError."""
        try:
            return float(said.strip().splitlines()[-1])
        except (IndexError, ValueError):
            problem = f"{self.host} did not report {what}: it said {said.strip()[-80:]!r}"
            raise LoadError(problem, f"see what its shell prints: ssh {self.host} date") from None

    def compare_clocks(self, times: int = 5) -> Clock:
        found = []
        for _ in range(times):
            before = time.time()
            there = self.number(self.run(CLOCK), "its clock")
            after = time.time()
            error = (after - before) / 2
            found.append(Clock(there - (before + after) / 2, error, time.monotonic()))
        return min(found, key=lambda clock: clock.error)

    def remarks(self) -> list[str]:
        """At the end of a race: did both clocks run equally fast? Requests/s are counted by it."""
        assert self.clock
        now = self.compare_clocks()
        passed = now.at - self.clock.at
        gained = now.ahead - self.clock.ahead
        if abs(gained) <= now.error + self.clock.error + CLOCK_RATE * passed:
            return []
        return [
            f"the other host's clock went {gained:+.2f} s against this one's in {passed:.0f} s, "
            "and requests per second are counted by it\n"
            "  → look at NTP on both (was one of them set?), and race again"
        ]

    def to_json(self) -> LoadHost:
        """For the run file."""
        assert self.clock
        return {
            "through": "ssh",
            "system": self.system,
            "architecture": self.architecture,
            "cpu": self.cpu,
            "cpus": self.cpus,
            "round_trip_ms": self.clock.error * 2000,
            "clock_ahead_seconds": self.clock.ahead,
            "clock_error_seconds": self.clock.error,
        }

    def close(self) -> None:
        """End the connection; the folder there goes with it."""
        if self.master and self.master.stdin:
            with suppress(OSError):
                self.master.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                self.master.wait(3)
        self.keeper.close()
        if self.copies:
            shutil.rmtree(self.copies, ignore_errors=True)


def ssh() -> list[str]:
    """The ssh command; BENCHBOOK_SSH may name another, or give it options (-F my_config)."""
    given = os.environ.get("BENCHBOOK_SSH", "")
    try:
        return shlex.split(given) or ["ssh"]
    except ValueError as error:
        problem = f"can't read '{given}': {error}"
        raise InputError("BENCHBOOK_SSH", "", problem, "as in: ssh -F my_config") from None


def parse_host(text: str) -> str:
    """The host of `ssh:HOST`. Raises InputError for anything else."""
    kind, _, host = text.partition(":")
    if kind != "ssh" or not re.fullmatch(r"[A-Za-z0-9_][^\s]*", host):
        raise InputError(
            "--load-from", "", f"can't read '{text}'", "write ssh:HOST or ssh:USER@HOST"
        )
    return host


def check_address(text: str) -> str:
    """An IPv4 address of this machine to listen on. Raises InputError for anything else."""
    own = own_addresses()
    there_are = f"give one of this machine's: {', '.join(own) or 'it has none'}"
    try:
        address = ipaddress.IPv4Address(text)
    except ValueError:
        raise InputError("--listen", "", f"'{text}' is not an IPv4 address", there_are) from None
    if address.is_unspecified:
        problem = f"{text} would let in every network that this machine is on"
        raise InputError("--listen", "", problem, there_are)
    if address.is_multicast:
        raise InputError("--listen", "", f"{text} is the address of a group", there_are)
    if text != HOST:
        with socket.socket() as probe:
            try:
                probe.bind((text, 0))
            except OSError:
                problem = f"{text} is not an address of this machine"
                raise InputError("--listen", "", problem, there_are) from None
    return text


def own_addresses() -> list[str]:
    """The IPv4 addresses of this machine that others may reach."""
    every = [a for addresses in psutil.net_if_addrs().values() for a in addresses]
    return [a.address for a in every if a.family == socket.AF_INET and a.address != HOST]


def connect(where: str, address: str, say: Callable[[str], None] = lambda text: None) -> Remote:
    """Open the connection to `ssh:HOST` and look around there.

    Raises InputError for arguments that make no sense, LoadError where ssh can't connect.
    """
    host = parse_host(where)
    check_address(address)
    if WINDOWS or not shutil.which(ssh()[0]):
        problem = "OpenSSH's client is not installed" if not WINDOWS else "Windows' ssh can't do it"
        remedy = "sudo apt-get install openssh-client" if not WINDOWS else "use WSL"
        raise LoadError(f"--load-from needs ssh that shares a connection: {problem}", remedy)
    say(f"connecting to {host}")
    remote = Remote(host, address, Keeper())
    try:
        open_master(remote)
        remote.look()
    except BaseException:
        remote.close()
        raise
    return remote


def open_master(remote: Remote) -> None:
    """Start the ssh process whose connection all commands share; wait until it is there."""
    local = remote.keeper.folder
    options = ["-M", "-S", str(local / "ssh"), "-o", "BatchMode=yes"]
    options += ["-o", f"ConnectTimeout={CONNECT_SECONDS}", "-o", "ServerAliveInterval=15"]
    command = [*ssh(), *options, remote.host, f"sh -c {shlex.quote(FOLDER)}"]
    with open(local / "told", "w+b") as told, open(local / "words", "w+b") as words:
        remote.master = remote.keeper.start(
            command, stdin=subprocess.PIPE, stdout=told, stderr=words
        )
        deadline = time.monotonic() + CONNECT_SECONDS + 15
        while not (remote.folder and (local / "ssh").exists()):
            if remote.master.poll() is not None or time.monotonic() > deadline:
                words.seek(0)
                said = words.read().decode("utf-8", "replace").strip() or "no answer"
                by_hand = shlex.join([*ssh(), remote.host, "true"])
                raise LoadError(
                    f"ssh can't connect to {remote.host}: {said.splitlines()[-1]}",
                    f"this must work without a question: {by_hand}",
                )
            time.sleep(0.02)
            lines = (local / "told").read_text(encoding="utf-8").splitlines(keepends=True)
            remote.folder = lines[-1].strip() if lines and lines[-1].endswith("\n") else ""
