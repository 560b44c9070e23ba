"""This checkout's newest runs, and its guesses, in one file that names neither user nor host.

The file is built up from what a room needs, field by field; nothing else of a run goes in: no free
text, no paths, no answers of servers. What text is left (the CPU's and the system's names) is
searched for this machine's names all the same.
"""

import contextlib
import getpass
import json
import os
import platform
import re
import secrets
import socket
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from benchbook import loadtools
from benchbook.analysis.judging import judge, judgement_json
from benchbook.analysis.pooled.untrusted import SHARED
from benchbook.model import documents, experiments, picker, results
from benchbook.model.experiments import Experiment
from benchbook.model.results import now
from benchbook.model.runs import FORMAT, Run
from benchbook.model.samples import Sample, plain
from benchbook.race.evidence import EXPLAIN
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.files import write_atomically

VERSION = re.compile(r"\d+(?:\.\d+)*")
CPU = ("physical_cores", "logical_cores", "usable_cores", "quota_cores", "current_mhz", "max_mhz")
TOOLS = ("python", "node", "dotnet-sdk")  # and the load generators
HARDWARE = re.compile(r"(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}", re.IGNORECASE)  # MAC addresses
HIDDEN = "…"


@dataclass(frozen=True)
class SharedGuesses:
    """Guesses as members of the shared file (model/schemas/share.schema.json)."""

    guesses: list[dict[str, Any]] = field(default_factory=list)
    words: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class SharedFile:
    """What a shared file holds: runs, and so many guesses."""

    path: Path
    runs: list[Run]
    guesses: int


def write(
    which: str | None, out: Path | None, guessed: SharedGuesses = SharedGuesses()
) -> SharedFile:
    """Write the shared file.

    guessed: what goes in of those about the experiments that are shared, and about variants that
    these have. Raises InputError for an unknown experiment, BenchError where there is nothing to
    share.
    """
    chosen = experiments.find_all(which) if which is not None else experiments.load_all()
    found = [(e, run) for e in chosen if (run := picker.own_run(e, unedited=True))]
    ours = known(guessed, chosen)
    if not found and not any(ours.values()):
        what = f"experiment {chosen[0].number}" if which else "any experiment"
        first = chosen[0].typed if which or paths.only() else "04"
        raise BenchError(f"there is no whole race of {what} here", f"./bench race {first}")
    attendee = code()
    shared = [anonymous(run, experiment) for experiment, run in found]
    document = {"format": SHARED, "attendee": attendee, "told": now(), "runs": shared, **ours}
    documents.check(document, "share", "the shared file")
    for each in shared:
        documents.check(each, "run", "the shared file")
    path = out or Path(f"benchbook-share-{attendee}.json")
    write_atomically(path, json.dumps(document, ensure_ascii=False) + "\n")
    return SharedFile(path, [run for _, run in found], sum(map(len, ours.values())))


def known(guessed: SharedGuesses, chosen: list[Experiment]) -> dict[str, list[dict[str, Any]]]:
    """The guesses about these experiments, as far as this checkout has what they name: other names
    may be anybody's."""
    variants = {e.name: {v.name for v in e.variants} for e in chosen}
    guesses = [
        each
        for each in guessed.guesses
        if {each["variant"], each["to"] or each["variant"]}
        <= variants.get(each["experiment"], set())
    ]
    words = [each for each in guessed.words if each["experiment"] in variants]
    return {name: some for name, some in (("guesses", guesses), ("words", words)) if some}


def code() -> str:
    """Who shares, as six random digits; drawn once for each checkout, from nothing."""
    path = paths.state() / "attendee"
    known = path.read_text(encoding="ascii").strip() if path.is_file() else ""
    if not re.fullmatch(r"[0-9a-f]{6}", known):
        known = secrets.token_hex(3)
        write_atomically(path, f"{known}\n")
    return known


# ── What goes in ─────────────────────────────────────────────────────────────────────────────────


def anonymous(run: Run, experiment: Experiment) -> dict[str, Any]:
    """A run document with what a room needs. The verdicts are judged anew, without free text."""
    titles = {variant.name: variant.title for variant in experiment.variants}
    entries = []
    for entry in run.entries:
        if entry.role == "variant" and entry.name not in titles:
            continue  # a variant that this checkout does not have: its name may be anybody's
        original = entry.name.removesuffix("#2")
        entries.append(
            {
                **plain(entry),
                "title": titles.get(original, original),
                "file": base_name(entry.file),
                "reason": "" if entry.status == "raced" else entry.status,
                "software": [],  # the machine's versions are below, without the names of builds
            }
        )
    kept = {entry["name"] for entry in entries}
    document = {
        "format": FORMAT,
        "kind": run.kind.name,
        "experiment": {
            **plain(run.experiment),
            "name": experiment.name,
            "title": experiment.title,
            "claim": experiment.claim.name,
        },
        "plan": {
            **plain(run.plan),
            "entries": [e for e in run.plan.entries if e in kept],
            "order": [],
        },
        "tool": {"name": run.tool.name, "version": version(run.tool.version)},
        "pinning": {**plain(run.pinning), "reason": ""},
        "machine": machine(run.machine),
        "entries": entries,
        "benchbook": version(run.benchbook),
        "started": run.started,
        "finished": run.finished,
        "status": run.status,
        "reason": "",
        "samples": [plain(bare(sample)) for sample in run.samples if sample.variant in kept],
        "warmups": [],
        "parity": {},
        "messages": [],
        "timing": {},
        "results": None,
    }
    judged = judge.judge(results.from_document(document, None), experiment.claim)
    return {**document, "results": plain(judgement_json.to_json(judged))}


def bare(sample: Sample) -> Sample:
    """A sample is numbers; its flags are ours."""
    return replace(sample, flags=[flag for flag in sample.flags if flag in EXPLAIN])


def base_name(file: str) -> str:
    """The last part of a path, whatever system it comes from."""
    return PurePosixPath(PureWindowsPath(file).as_posix()).name


def version(text: str | None) -> str:
    """The number in a version; a build's own name may be anybody's."""
    match = VERSION.search(text or "")
    return match[0] if match else ""


def machine(manifest: dict[str, Any]) -> dict[str, Any]:
    """What a machine is, without what it is called."""
    cpu, memory = manifest.get("cpu", {}), manifest.get("memory", {})
    system, versions = manifest.get("os", {}), manifest.get("versions", {})
    numbers = {key: cpu.get(key) for key in CPU}
    return {
        "cpu": {"model": nameless(cpu.get("model")), **numbers},
        "memory": {"total_mib": memory.get("total_mib")},
        "os": {
            "name": nameless(system.get("name")),
            "distribution": nameless(system.get("distribution")),
            "kernel": version(system.get("kernel")),
        },
        "container": bool(manifest.get("container")),
        "virtual_machine": bool(manifest.get("virtual_machine")),
        "wsl": bool(manifest.get("wsl")),
        "versions": {
            tool: version(versions.get(tool))
            for tool in (*TOOLS, *loadtools.declared())
            if versions.get(tool)
        },
    }


def nameless(text: str | None) -> str:
    """Text without this machine's and user's names, and without hardware addresses."""
    cleaned = HARDWARE.sub(HIDDEN, text or "")
    for name in names():
        cleaned = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", HIDDEN, cleaned, flags=re.IGNORECASE)
    return cleaned


def names() -> list[str]:
    """What this machine and its user are called, the longest first."""
    found = {platform.node(), socket.gethostname(), Path.home().name}
    found |= {name.partition(".")[0] for name in found}
    found |= {os.environ.get(key, "") for key in ("USER", "LOGNAME", "USERNAME", "COMPUTERNAME")}
    with contextlib.suppress(OSError, KeyError, ImportError):  # a user without an entry
        found.add(getpass.getuser())
    return sorted((name for name in found if len(name) > 1), key=len, reverse=True)
