"""Servers that run already, as variants: addresses on this machine, perhaps with their processes.

They are raced in turns, by requests/s, since nobody sees how much CPU time they take. Where their
processes are told (--pid), they are loaded together and compared by the CPU time of a request.
"""

import hashlib
import ipaddress
import itertools
import socket
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import SplitResult, urlsplit

import psutil

from benchbook.compare import detect
from benchbook.compare.given.asked import Given
from benchbook.model.kinds.http import Http
from benchbook.model.variants import Variant
from benchbook.system import paths
from benchbook_kernels.base import processes
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.words import counted

TRY_SECONDS = 2.0
OPTION = "--pid"


def are_addresses(words: Sequence[str]) -> bool:
    """Are the things addresses?"""
    return any(map(detect.is_address, words))


def check(words: Sequence[str], pids: Sequence[int], given: Given) -> None:
    """Raises InputError where only some of the things are addresses, for processes of others, and
    for what a server can't be given that runs already."""
    found = list(filter(detect.is_address, words))
    if found and len(found) < len(words):
        problem = "runs already, and the others don't: they can't be loaded alike"
        raise InputError(found[0], "", problem, "start all of them yourself, and give addresses")
    if found and given != Given():
        problem = "runs already, with what it was given: an option gives it something else"
        raise InputError(found[0], "", problem, "give programs, or leave that option out")
    if pids and not found:
        problem = "is for servers that run already, which are given by their addresses"
        raise InputError(OPTION, "", problem, "leave it out: what Benchbook starts it knows")


def kind(usual: Http, pids: Sequence[int]) -> Http:
    """How such servers are measured; usual: how others would be."""
    return usual if pids else replace(usual, together=False)


def variants(urls: Sequence[str], pids: Sequence[int] = ()) -> list[Variant]:
    """A variant for each address; one that is given twice is one. pids: the process of each.

    Raises InputError for an address that is no loopback address of this machine's or at which
    nobody listens, and for processes that are not those which listen there.
    """
    places: dict[SplitResult, tuple[str, SplitResult]] = {}
    for url, parts in zip(urls, map(numeric, urls), strict=True):
        places.setdefault(parts._replace(path=parts.path or "/"), (url, parts))
    if pids and len(pids) != len(places):
        problem = f"names {counted(len(pids), 'process')} for {counted(len(places), 'server')}"
        raise InputError(OPTION, "", problem, "one for each address, in their order: --pid 12,34")
    if len(set(pids)) < len(pids):
        problem = "names a process twice, whose CPU time can't be told apart"
        raise InputError(OPTION, "", problem, "leave it out: they are compared by requests/s then")
    folder = paths.scratch() / "addresses"
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for (url, parts), pid in zip(places.values(), [*pids] or [0] * len(places), strict=True):
        if pid:
            check_process(pid, parts, url)
        name = url.partition("://")[2]
        name = name if parts.query else name.removesuffix("/" if parts.path == "/" else "")
        mark = hashlib.sha256(url.encode()).hexdigest()[:8]  # others may look alike in letters
        file = folder / f"{''.join(c if c.isalnum() else '-' for c in name)[:80]}-{mark}.command"
        file.write_text(f"{url}\n", encoding="utf-8")  # only keeps what it is
        words = ("curl", "-i", parts.geturl())
        made.append(Variant(name, name, file, words=words, address=parts.geturl(), pid=pid))
    check_apart(pids)
    return made


def numeric(url: str) -> SplitResult:
    """An address whose host is a number of the loopback interface, where somebody listens. Raises
    InputError where it is none."""
    parts = urlsplit(url)
    try:
        host, port = parts.hostname, parts.port or 80
    except ValueError:
        raise InputError(url, "", "has a port that is no number below 65536") from None
    if parts.scheme != "http" or not host or parts.username is not None:
        remedy = "give http://127.0.0.1:PORT/PATH"
        raise InputError(url, "", "is no address of a server that speaks plain HTTP", remedy)
    numbers = loopback(host, port)
    if not numbers:
        problem = f"only addresses of this machine are compared (127.0.0.1, localhost), not {host}"
        remedy = "load no server of others; with two machines: --load-from, docs/two-machines.md"
        raise InputError(url, "", problem, remedy)
    number = next((each for each in numbers if listens(each, port)), None)
    if number is None:
        remedy = "start the server, and give its address once more"
        raise InputError(url, "", f"nobody listens on port {port} there", remedy)
    place = f"[{number}]:{port}" if ":" in number else f"{number}:{port}"
    return parts._replace(netloc=place, fragment="")


def loopback(host: str, port: int) -> list[str]:
    """The loopback numbers of a host; none for any other. Names of others are not looked up: no
    name server need know what somebody compares."""
    local = host.rstrip(".") == "localhost" or host.rstrip(".").endswith(".localhost")
    try:
        if not local:
            return [host] if ipaddress.ip_address(host).is_loopback else []
        found = socket.getaddrinfo("localhost", port, type=socket.SOCK_STREAM)
    except (OSError, ValueError):
        return []
    numbers = list(dict.fromkeys(str(each[4][0]) for each in found))
    return numbers if all(ipaddress.ip_address(each).is_loopback for each in numbers) else []


def listens(host: str, port: int) -> bool:
    """Does somebody take a connection there?"""
    try:
        with socket.create_connection((host, port), timeout=TRY_SECONDS):
            return True
    except OSError:
        return False


def check_process(pid: int, parts: SplitResult, url: str) -> None:
    """Raises InputError where it is not the one that listens there."""
    if not psutil.pid_exists(pid):
        raise InputError(OPTION, "", f"there is no process {pid}", "see: pgrep -a node")
    if not processes.TELLS_LISTENERS:
        return
    if all(port != parts.port for _, port in processes.listening(pid)):
        who = processes.listener(parts.port or 80)
        problem = f"process {pid} does not listen on the port of {url}, as far as this user sees"
        raise InputError(OPTION, "", problem, f"it is {who}" if who else "see: ss -ltnp")


def check_apart(pids: Sequence[int]) -> None:
    """Raises InputError where one is a descendant of another, whose CPU time holds its own."""
    for one, other in itertools.combinations(pids, 2):
        if set(processes.family(one)) & set(processes.family(other)):
            problem = f"{one} and {other} are of one family, whose CPU time can't be told apart"
            raise InputError(OPTION, "", problem, "name the processes that serve, or leave it out")
