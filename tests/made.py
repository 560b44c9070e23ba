"""What tests are made of: a small server, a claim, samples."""

import json
import random
import shutil
import socket
import textwrap
import zipfile
from dataclasses import asdict, replace
from pathlib import Path

import psutil

from benchbook.model.experiments import Experiment
from benchbook.model.samples import Evidence, Sample
from benchbook.race.checks.known_effects import RaceOutcome
from benchbook.race.kinds.http.executor import HttpExecutor
from benchbook.system import paths

REPOSITORY = Path(__file__).parents[1]

SERVER = """
import http from 'node:http';
const server = http.createServer((request, response) => {
  response.setHeader('content-type', 'text/plain');
  response.end('hello');
});
server.listen(process.env.PORT, '127.0.0.1');
"""

CLAIM = """
title = "one is faster"
summary = "b is said to be faster than a"

[source]
article = "none"
title = "made for a test"
year = 2026
language = "English"
method = "none"

[[figures]]
label = "A"
value = 100
unit = "requests/s"
place = "here"
variant = "a"

[[figures]]
label = "B"
value = 110
unit = "requests/s"
place = "here"
variant = "b"

[[statements]]
id = "b-faster"
says = "b is faster than a"
type = "faster"
a = "b"
b = "a"
place = "here"
"""


def write_experiment(folder: Path, codes: dict[str, str], extra: dict[str, str] = {}) -> Path:
    """An experiment whose variants are these JavaScript programs; the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        'title = "made for a test"',
        'question = "which is faster?"',
        'claim = "claim.toml"',
        'baseline = "a"',
        '[http]\npath = "/"\nconnections = 8',
        "[race.quick]\nbudget_seconds = 5\nsample_seconds = 0.2\nwarmup_seconds = 0.1",
        "[race.full]\nbudget_seconds = 10\nsample_seconds = 0.5",
    ]
    for variant, code in codes.items():
        (folder / f"{variant}.mjs").write_text(textwrap.dedent(code), encoding="utf-8")
        lines.append(f'[[variants]]\nname = "{variant}"\ntitle = "{variant}"')
        lines.append(f'file = "{variant}.mjs"\nready_seconds = 3')
        lines.append(extra.get(variant, ""))
    (folder / "experiment.toml").write_text("\n".join(lines), encoding="utf-8")
    (folder / "claim.toml").write_text(CLAIM, encoding="utf-8")
    return folder


def left_behind(token: str) -> list[psutil.Process]:
    """The processes that a keeper started and that still run."""
    found = []
    for process in psutil.process_iter():
        try:
            if token in process.environ().values():
                found.append(process)
        except psutil.Error:
            continue
    return found


def race_all(executor: HttpExecutor) -> None:
    """Load each server for a moment: all answer without errors, and are gone afterwards."""
    for name in list(executor.running):
        answered = 0
        while answered <= 10:  # however long a cold server takes on a busy machine
            measured = executor.measure(name, 0.2).load
            assert measured.requests and measured.non_2xx == 0, (name, measured)
            assert not any(measured.errors.values()), (name, measured)
            answered += measured.requests
    members = [pid for program in executor.running.values() for pid in program.members]
    assert executor.land() == {}
    assert not any(psutil.pid_exists(pid) for pid in members)


def sample(variant: str, launch: int, block: int, speed: float, **more) -> Sample:
    """A sample of one second that went well, at `speed` requests/s."""
    latency = {"mean": 8000 / speed, "p50": 0.1, "p75": 0.2, "p90": 0.3, "p99": 0.4, "p99_9": 0.5}
    given = {
        "latency_ms": {**latency, "max": 1.0},
        "errors": {"connect": 0, "read": 0, "write": 0, "timeout": 0},
        "non_2xx": 0,
        "bytes": 1000,
        "client_cpu_seconds": 0.5,
        "evidence": asdict(Evidence(server_cpu_seconds=0.99, outside_cpu_seconds=0.01)),
    }
    return Sample(
        launch=launch,
        block=block,
        position=0,
        variant=variant,
        started_seconds=launch * 10.0 + block,
        seconds=1.0,
        requests=round(speed),
        requests_per_second=speed,
        **{**given, **more},
    )


def with_a_share(one: Sample, entries: int) -> Sample:
    """The same sample of a program that had one of so many equal shares of the CPU."""
    spent = one.evidence["server_cpu_seconds"] / entries
    rate = one.requests_per_second * spent
    evidence = {**one.evidence, "server_cpu_seconds": spent}
    return replace(one, requests_per_second=rate, requests=round(rate), evidence=evidence)


def edited_json(path: Path, change) -> None:
    """Load JSON, let `change` work on it, write it back."""
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


def package_for_newer_net(folder: Path) -> str:
    """Makes versions of a NuGet package, all but the oldest for a .NET to come; its name."""
    name = "Benchbook.Aged"
    for version, target in (
        ("1.0.0", "netstandard2.0"),
        ("2.0.0", "net99.0"),
        ("3.1.4", "net99.0"),
    ):
        with zipfile.ZipFile(folder / f"{name}.{version}.nupkg", "w") as package:
            package.writestr(f"lib/{target}/_._", "")
            package.writestr(
                f"{name}.nuspec",
                f"<package><metadata><id>{name}</id><authors>us</authors>"
                f"<description>it</description><version>{version}</version></metadata></package>",
            )
    return name


def copy_of_checkout(root: Path) -> Path:
    """What notebooks need, so that what they write stays out of the real checkout."""
    for name in ("notebooks", "snippets", "data"):
        if (paths.root() / name).is_dir():
            shutil.copytree(paths.root() / name, root / name)
    (root / "notebooks").mkdir(parents=True, exist_ok=True)
    for name in ("node_modules", "src", "docs"):
        (root / name).symlink_to(REPOSITORY / name)
    for name in ("Directory.Packages.props", "global.json"):
        shutil.copy(REPOSITORY / name, root / name)
    # what was built from the same code is not built again
    builds = REPOSITORY / ".benchbook" / "builds"
    builds.mkdir(parents=True, exist_ok=True)
    (root / ".benchbook").mkdir(exist_ok=True)
    (root / ".benchbook" / "builds").symlink_to(builds)
    return root


def on_mono(experiment: Experiment) -> set[str]:
    """The variants that need Mono, which may be missing."""
    needs_mono = lambda v: any(need.startswith("mono:") for need in v.needs)  # noqa: E731
    return {variant.name for variant in experiment.variants if needs_mono(variant)}


def second_of_two_ports() -> socket.socket:
    """Listens on a port after a free one; both lie below those that the system gives away."""
    for first in random.sample(range(20_000, 30_000), 1000):
        taken = socket.socket()
        try:
            with socket.socket() as free:
                free.bind(("127.0.0.1", first))
                taken.bind(("127.0.0.1", first + 1))
            taken.listen()
            return taken
        except OSError:
            taken.close()
    raise AssertionError("no two neighbouring ports are free")


def known_effect_race(order: str, twin: float, slower: float, verdict="opposite") -> RaceOutcome:
    ratios = {"twin": (twin, twin - 0.01, twin + 0.01), "plus-ten": (slower, 0.8, 0.95)}
    return RaceOutcome(order, 0.02, ratios, {"twin": "no difference", "plus-ten": verdict})
