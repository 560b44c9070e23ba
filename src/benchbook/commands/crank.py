"""An experiment as a configuration of Microsoft's crank, for who has a lab: `export-crank NN`.

crank (https://github.com/dotnet/crank) sends jobs to agents on other machines. It reads JSON as
well as YAML; the fields are those of its src/Microsoft.Crank.Controller/benchmarks.schema.json and
README.md. A job is one program, a scenario is that program under wrk, a profile says where the
agents are. crank loads one program after the other: blocks in random order, and the verdict that
comes of them, are Benchbook's own (`race NN --load-from ssh:HOST` has them on two machines).
"""

import ipaddress
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from benchbook.commands.options import Place
from benchbook.load import addressed
from benchbook.model import experiments
from benchbook.model.experiments import Experiment
from benchbook.model.kinds import Http
from benchbook.model.variants import Variant
from benchbook.programs import readiness, runners
from benchbook.setup.files import write_atomically
from benchbook.setup.words import counted
from benchbook.system import paths
from benchbook.system.errors import InputError

WRK = "https://raw.githubusercontent.com/dotnet/crank/main/src/Microsoft.Crank.Jobs.Wrk/wrk.yml"
PORT = 5000  # crank's own default
AGENT_PORT = 5010  # crank-agent's default
FILE = "{name}.benchmarks.json"


@dataclass(frozen=True)
class Lab:
    """Where the agents are: of the programs, which listen on `address`, and of the load."""

    address: str = "127.0.0.1"
    load_agent: str = f"http://127.0.0.1:{AGENT_PORT}"


@dataclass
class Export:
    """What was written: the configuration, and why each variant that is not in it is not."""

    path: Path
    scenarios: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


def export(
    experiment: Experiment, folder: Path, lab: Lab = Lab(), say: Callable[[str], None] = print
) -> Export:
    """Write the configuration and the programs (built, where they are .NET) to a new folder.

    Raises InputError for an experiment without servers, or a folder that is not empty.
    """
    if not experiment.kind.under_load:
        remedy = "crank's own docs/microbenchmarks.md is about BenchmarkDotNet projects"
        problem = "puts no servers under load: its benchmarks are methods"
        raise InputError(f"experiment {experiment.name}", "micro", problem, remedy)
    if folder.exists() and any(folder.iterdir()):
        raise InputError(folder, "", "is not empty", "name a new folder")
    from benchbook.model import results  # here: help needs none of it

    scratch = paths.scratch() / f"crank-{results.stamp()}"
    try:
        copies, unfit = addressed.addressed(experiment, lab.address, scratch)
        reasons = readiness.make_ready(list(copies.variants), say) | unfit
        done = Export(folder / FILE.format(name=experiment.name.replace("/", "-")))
        jobs = {}
        for variant in copies.variants:
            if reason := reasons[variant.name] or unfit_for_crank(variant):
                done.left_out[variant.name] = reason
                continue
            jobs[variant.name] = job(variant, folder / variant.name, experiment.kind.requested)
            done.scenarios.append(variant.name)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    document = configuration(experiment, jobs, lab)
    write_atomically(done.path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    return done


def unfit_for_crank(variant: Variant) -> str:
    """Why a variant can't be a crank job, '' where it can."""
    if variant.backend:
        return "it is two programs, one behind the other, and a crank job is one"
    if any(need.startswith("mono:") for need in variant.needs):
        return "it runs on Mono, which a crank agent does not bring"
    if not isinstance(runners.find(variant.path), runners.Node | runners.Dotnet):
        return f"there is no crank job for a {variant.path.suffix} file"
    if variant.paths:
        return "it is asked many paths at random, and crank's wrk job asks one"
    return ""


def job(variant: Variant, folder: Path, path: str) -> dict[str, Any]:
    """A job, whose program is copied to `folder`. It is ready when its port can be connected to."""
    found: dict[str, Any] = {
        "sources": {"program": {"localFolder": folder.name}},
        "port": PORT,
        "path": path,
        "environmentVariables": {
            **runners.environment(),
            **variant.env,
            "PORT": str(PORT),
        },
        # what is sent is built, and the reader's .gitignore may leave builds out
        "options": {"noGitIgnore": True},
    }
    if isinstance(runners.find(variant.path), runners.Dotnet):
        command = runners.get(variant.path).command(variant, {}, folder)
        shutil.copytree(Path(command[-1]).parent, folder)
        if command[0] == "dotnet":
            # the agent brings the SDK for `dotnet`; noBuild: what is sent is built
            found |= {"executable": "dotnet", "arguments": f"program/{Path(command[-1]).name}"}
            found |= {"noBuild": True, "framework": "net10.0"}
        else:
            found |= {"executable": f"program/{Path(command[-1]).name}"}
        return found
    ignored = shutil.ignore_patterns("node_modules", "bin", "obj", "experiment.toml", "*.cs")
    shutil.copytree(variant.path.parent, folder, ignore=ignored)
    # an absolute path, because the agent looks for other names in the sources
    found |= {"executable": "/usr/bin/env", "arguments": f"node program/{variant.path.name}"}
    if any(need.startswith("npm:") for need in variant.needs):
        for name in ("package.json", "package-lock.json"):
            shutil.copy2(paths.root() / name, folder)
        found["beforeScript"] = "npm ci --omit=dev --ignore-scripts --prefix program"
    return found


def configuration(experiment: Experiment, jobs: dict[str, Any], lab: Lab) -> dict[str, Any]:
    """The document. A scenario a variant, named like it; one profile, `lab`."""
    mode = experiment.modes.get("full") or next(iter(experiment.modes.values()))
    duration = max(1, round(mode.sample_seconds))
    variables = {
        "connections": experiment.kind_as(Http).connections,
        "threads": 1,
        "duration": duration,
        "warmup": max(1, round(mode.warmup_seconds)),
        "serverPort": PORT,
        "path": experiment.kind.requested,
    }
    return {
        "imports": [WRK],
        "jobs": jobs,
        "scenarios": {
            name: {
                "application": {"job": name},
                "load": {"job": "wrk", "variables": variables},
            }
            for name in jobs
        },
        "profiles": {
            "lab": {
                "variables": {"serverAddress": lab.address},
                "jobs": {
                    "application": {"endpoints": [f"http://{lab.address}:{AGENT_PORT}"]},
                    "load": {"endpoints": [lab.load_agent]},
                },
            }
        },
    }


def check_lab(listen: str, load_agent: str) -> Lab:
    """Raises InputError for an address that is none, or that is all of a machine's."""
    try:
        unspecified = ipaddress.IPv4Address(listen).is_unspecified
    except ValueError:
        remedy = "give an IPv4 address, such as 10.0.0.1"
        raise InputError("--listen", "", f"'{listen}' is no IPv4 address", remedy) from None
    if unspecified:
        problem = f"{listen} would let every network in that the agent's machine is on"
        raise InputError("--listen", "", problem, "name the address that the load machine sees")
    if not load_agent.startswith(("http://", "https://")):
        problem = f"'{load_agent}' is not the address of a crank agent"
        raise InputError("--load-agent", "", problem, f"write http://HOST:{AGENT_PORT}")
    return Lab(listen, load_agent)


@click.command("export-crank")
@click.argument("experiment")
@click.option(
    "--out",
    type=Place("folder"),
    help="A new folder (default: crank-NN here).",
)
@click.option(
    "--listen",
    default=Lab.address,
    show_default=True,
    metavar="ADDRESS",
    help="The IPv4 address of the agent that runs the programs.",
)
@click.option(
    "--load-agent",
    default=Lab.load_agent,
    show_default=True,
    metavar="URL",
    help="The agent that runs wrk.",
)
def command(experiment: str, out: Path | None, listen: str, load_agent: str) -> None:
    """Write an experiment as a configuration for crank.

    That is Microsoft's tool for labs; the programs of EXPERIMENT are written, too.
    """
    lab = check_lab(listen, load_agent)
    found = experiments.find(experiment)
    folder = out or Path(f"crank-{found.number}")
    done = export(found, folder, lab, lambda text: click.echo(f"… {text}", err=True))
    for name, reason in done.left_out.items():
        click.echo(f"left out: {name}: {reason}")
    if not done.scenarios:
        raise SystemExit(1)
    click.echo(
        f"{counted(len(done.scenarios), 'scenario')} in {paths.relative(done.path)}; run one with"
    )
    click.echo(f"  crank --config {done.path} --scenario {done.scenarios[0]} --profile lab")
