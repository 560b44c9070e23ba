"""Two hosts for tests of --load-from: a real sshd, and as root two network namespaces.

Without root both are on the loopback interface: 127.0.0.2 is where programs listen, and "the other
host" is this one. A test that needs what is not installed fails with the command that gets it.
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

SBIN = "/usr/local/sbin:/usr/sbin:/sbin"
INSTALL = "sudo apt-get install --no-install-recommends openssh-server openssh-client iproute2"
ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@dataclass
class Lab:
    """address: where programs listen; other: an address of the same host where they must not.

    here, there: what precedes a command on each host; sshd: its process; temporary: where the other
    host makes temporary folders.
    """

    address: str
    other: str
    here: list[str]
    there: list[str]
    sshd: subprocess.Popen
    env: dict[str, str]
    temporary: Path

    def connects(self, address: str, port: int, side: list[str]) -> bool:
        """Is a TCP connection accepted, from that host?"""
        code = f"import socket; socket.create_connection(('{address}', {port}), 3)"
        python = shutil.which("python3") or "python3"
        done = subprocess.run([*side, python, "-c", code], capture_output=True, text=True)
        assert done.returncode == 0 or "ConnectionRefusedError" in done.stderr, done.stderr
        return done.returncode == 0

    def left_there(self) -> list[str]:
        """What the other host still has: commands, but for its sshd itself, and files."""
        import psutil

        found = []
        for child in psutil.Process(self.sshd.pid).children(recursive=True):
            with suppress(psutil.Error):
                found.append(" ".join(child.cmdline()))
        return [*found, *map(str, self.temporary.iterdir())]

    def await_nothing_left(self, seconds: float) -> list[str]:
        deadline = time.monotonic() + seconds
        while (left := self.left_there()) and time.monotonic() < deadline:
            time.sleep(0.1)
        return left


def tool(name: str) -> str:
    """The path of a command; fails the test with the way to get it."""
    path = shutil.which(name) or shutil.which(name, path=SBIN)
    if path is None:
        pytest.fail(f"{name} is not installed; get it with: {INSTALL}")
    return path


@contextmanager
def lab(folder: Path) -> Iterator[Lab]:
    """A lab whose keys and settings are in `folder`; its processes and namespaces end with it."""
    with namespaces() if ROOT else loopback() as (address, other, host, here, there):
        port = 2222 if ROOT else free_port()
        config = write_keys(folder, host, port)
        log = folder / "sshd.log"
        command = [*there, tool("sshd"), "-D", "-E", str(log), "-f", str(folder / "sshd_config")]
        sshd = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        env = {**os.environ, "BENCHBOOK_SSH": f"{tool('ssh')} -F {config}"}
        try:
            deadline = time.monotonic() + 20
            while "listening on" not in (log.read_text() if log.exists() else ""):
                assert sshd.poll() is None and time.monotonic() < deadline, log.read_text()
                time.sleep(0.05)
            yield Lab(address, other, here, there, sshd, env, folder / "tmp")
        finally:
            sshd.terminate()
            sshd.wait(10)


@contextmanager
def namespaces() -> Iterator[tuple[str, str, str, list[str], list[str]]]:
    """Two hosts with a cable between them; the first has a second address of its own."""
    ip, name = tool("ip"), secrets.token_hex(3)
    server, client = f"bench-s-{name}", f"bench-l-{name}"
    try:
        for line in (
            f"netns add {server}",
            f"netns add {client}",
            f"link add s{name} netns {server} type veth peer name l{name} netns {client}",
            f"-n {server} addr add 10.77.0.1/24 dev s{name}",
            f"-n {server} addr add 10.77.0.9/24 dev s{name}",
            f"-n {client} addr add 10.77.0.2/24 dev l{name}",
            f"-n {server} link set s{name} up",
            f"-n {client} link set l{name} up",
            f"-n {server} link set lo up",
            f"-n {client} link set lo up",
        ):
            subprocess.run([ip, *line.split()], check=True)
        sides = [[ip, "netns", "exec", side] for side in (server, client)]
        yield "10.77.0.1", "10.77.0.9", "10.77.0.2", *sides
    finally:
        for side in (server, client):
            pids = subprocess.run([ip, "netns", "pids", side], capture_output=True, text=True)
            for pid in pids.stdout.split():  # all of them are of this lab
                with suppress(OSError):
                    os.kill(int(pid), signal.SIGKILL)
            subprocess.run([ip, "netns", "del", side], capture_output=True)


@contextmanager
def loopback() -> Iterator[tuple[str, str, str, list[str], list[str]]]:
    yield "127.0.0.2", "127.0.0.3", "127.0.0.1", [], []


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def write_keys(folder: Path, host: str, port: int) -> Path:
    """Keys of host and user, and the settings of sshd and ssh; the path of ssh's."""
    for name in ("host", "user"):
        command = [tool("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(command, check=True)
    shutil.copy(folder / "user.pub", folder / "authorized")
    (folder / "tmp").mkdir()
    kind, key = (folder / "host.pub").read_text().split()[:2]
    (folder / "known").write_text(f"[{host}]:{port} {kind} {key}\n")
    if ROOT:
        Path("/run/sshd").mkdir(exist_ok=True)  # the package's service would make it
    (folder / "sshd_config").write_text(
        f"ListenAddress {host}\nPort {port}\nHostKey {folder}/host\nPidFile none\n"
        f"AuthorizedKeysFile {folder}/authorized\nStrictModes no\nUsePAM no\n"
        "PermitRootLogin prohibit-password\nPasswordAuthentication no\n"
        f"KbdInteractiveAuthentication no\nSetEnv TMPDIR={folder}/tmp\n"
    )
    config = folder / "ssh_config"
    config.write_text(
        f"Host loader\n  HostName {host}\n  Port {port}\n  IdentityFile {folder}/user\n"
        f"  IdentitiesOnly yes\n  UserKnownHostsFile {folder}/known\n"
        f"Host nobody\n  HostName {host}\n  Port 9\n"
    )
    return config
