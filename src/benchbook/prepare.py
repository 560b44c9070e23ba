"""From an experiment to a race that is ready to run: what can be raced is built and checked."""

import hashlib
import math
import secrets
from dataclasses import dataclass, replace
from pathlib import Path

import benchbook
from benchbook import browser, client_executor, load, load_from, machine, micro, micro_node
from benchbook import page_executor, paths, pinning, plan, programs, results, runners, web_page
from benchbook import witness
from benchbook.client_executor import ClientExecutor
from benchbook.errors import BenchError, InputError
from benchbook.executor import Executor, HttpExecutor, asked
from benchbook.experiments import SHORTEST_LOAD, Experiment, Variant
from benchbook.micro_executor import MicroExecutor
from benchbook.micro_node import NodeExecutor
from benchbook.page_executor import PageExecutor
from benchbook.pinning import Pinning
from benchbook.plan import Plan
from benchbook.race import MINUTES, Race, stamp
from benchbook.results import Entry, Run

COPY = "#2"  # the A/A copy of the baseline is named like it, with this at the end
Made = tuple[Executor, Plan, Run]
Reasons = dict[str, str]  # why a variant is unavailable, by name; '' where it is not


@dataclass(frozen=True)
class Options:
    """What a caller may choose; None means: as the experiment says.

    warmup: seconds of load on each program before its first sample; interleaved: as in Plan;
    until: race on until every interval is narrower than this share, but at most `minutes`;
    share: of the blocks, or of the time, that the race would otherwise take; remote: the host that
    the load comes from, None for this one.
    """

    mode: str = "quick"
    launches: int | None = None
    blocks: int | None = None
    seconds: float | None = None
    connections: int | None = None
    tool: str | None = None
    variants: tuple[str, ...] = ()
    seed: int | None = None
    path: Path | None = None
    pin: bool = True
    port: int = 0
    warmup: float | None = None
    interleaved: bool = True
    until: float | None = None
    minutes: float = MINUTES
    share: float = 1.0
    remote: load_from.Remote | None = None


@dataclass(frozen=True)
class Job:
    """What is to be prepared; say: told what is being built, in words for the reader."""

    experiment: Experiment
    chosen: list[Variant]
    options: Options
    say: programs.Say


def prepare(
    experiment: Experiment, options: Options = Options(), say: programs.Say = lambda text: None
) -> Race:
    """Build and check what can be raced, draw the plan, and return a race that is ready to run.

    say: told what is being built, in words for the reader.
    Raises InputError for options that make no sense, BenchError where the baseline or the load
    generator is not available.
    """
    check_options(experiment, options)
    chosen = choose(experiment, options.variants or experiment.modes[options.mode].variants)
    job = Job(experiment, chosen, options, say)
    return prepare_http(job) if experiment.http else prepare_timed(job)


def check_options(experiment: Experiment, options: Options) -> None:
    """Raises InputError for an option that makes no sense."""
    if options.mode not in experiment.modes:
        known = ", ".join(experiment.modes)
        raise InputError("--mode", "", f"no mode '{options.mode}' (there are: {known})")
    least = {"launches": 1, "blocks": 1, "connections": 1, "seed": 0, "warmup": 0, "seconds": 0}
    for name in ("seconds", "warmup", "minutes", "until"):
        value = getattr(options, name)
        if value is not None and not math.isfinite(value):
            raise InputError(f"--{name}", "", f"is {value}", "a number")
    for name, smallest in least.items():
        value = getattr(options, name)
        if value is not None and (value < smallest or name == "seconds" and not value):
            wanted = f"at least {smallest}" if smallest or name != "seconds" else "more than 0"
            raise InputError(f"--{name}", "", f"is {value:g}", wanted)
    if options.until and options.launches == 1:
        problem = "can't be reached with one launch: how launches differ would not be known"
        raise InputError("--until", "", problem, "leave --launches out")
    known = ("auto", *load.TOOLS)
    if options.tool is not None and options.tool not in known:
        raise InputError("--tool", "", f"no load generator '{options.tool}'", " or ".join(known))


def prepare_http(job: Job) -> Race:
    """Servers under a load generator."""
    experiment, chosen, options = job.experiment, job.chosen, job.options
    remote = options.remote
    if options.seconds and options.seconds < SHORTEST_LOAD:
        problem = f"{options.seconds:g} s are too short for a load generator"
        raise InputError("--seconds", "", problem, f"at least {SHORTEST_LOAD:g}")
    tool = (remote.choose if remote else load.choose)(options.tool or experiment.http.tool)
    experiment = programs.stage(experiment, paths.scratch() / f"{experiment.name}-{stamp()}")
    raced, unfit = experiment, {}
    if remote:
        remote.copies = paths.scratch() / f"{experiment.name}-{stamp()}"
        raced, unfit = load_from.addressed(experiment, remote.address, remote.copies)
    ready = programs.make_ready([raced.variant(variant.name) for variant in chosen], job.say)
    reasons = ready | unfit
    for variant in chosen:
        reasons[variant.name] = reasons[variant.name] or load.refuses(
            tool, asked(experiment, variant)
        )
    check_baseline(experiment, reasons)
    path = options.path or results.folder(experiment.kept_as) / f"{stamp()}.json"
    variants, entries = enter(experiment, chosen, reasons)
    moved = {n: raced.variant(n.removesuffix(COPY)).path for n in variants}
    variants = {name: replace(variant, path=moved[name]) for name, variant in variants.items()}
    connections = options.connections or experiment.http.connections
    seconds = options.seconds or experiment.modes[options.mode].sample_seconds
    seconds = load.sample_seconds(tool, seconds)
    drawn = draw(job, entries, tool.name, seconds, connections)
    pins = pinning.split() if options.pin else Pinning(None, None, "switched off with --no-pin")
    messages = [f"variant '{e.name}' is unavailable: {e.reason}" for e in entries if e.reason]
    if remote:
        pins = Pinning(None, None, "the load generator is on another host")
        messages += remote.messages(tool)
    run = Run(
        experiment={
            "name": experiment.name,
            "title": experiment.title,
            "claim": experiment.claim.name,
            "path": experiment.http.path,
        },
        plan=drawn.to_json(),
        tool={
            "name": tool.name,
            "version": tool.version(),
            **({"load_from": remote.to_json()} if remote else {}),
        },
        pinning={"server": pins.server, "client": pins.client, "reason": pins.reason},
        machine=machine.manifest(),
        entries=entries,
        benchbook=benchbook.__version__,
        started=results.now(),
        messages=messages,
        path=path,
    )
    executor = HttpExecutor(
        experiment,
        variants,
        tool,
        pins,
        connections,
        first_port=options.port,
        seed=drawn.seed,
        remote=remote,
    )
    setting = witness.Setting(
        client_cpus=load.threads(tool, connections, range(remote.cpus) if remote else pins.client),
        connections=connections,
        corrected=tool.corrects,
        cpus=len(machine.affinity()),
    )
    return Race(experiment, drawn, run, executor, setting, minutes=options.minutes)


def prepare_timed(job: Job) -> Race:
    """What times itself: functions under BenchmarkDotNet or mitata, a web page, clients."""
    experiment, options = job.experiment, job.options
    of_load = {
        "--tool": options.tool,
        "--connections": options.connections,
        "--load-from": options.remote,
    }
    for option, value in of_load.items():
        if value:
            problem = "is for experiments that put servers under load"
            raise InputError(option, "", problem, "leave it out")
    programs.look_for_packages(experiment.variants)
    if experiment.page or experiment.client:
        make = make_page if experiment.page else make_client
        reasons = programs.make_ready(job.chosen, job.say)
    else:
        of_node = experiment.micro.module
        make, lacking = (
            (make_node, micro_node.lacking) if of_node else (make_dotnet, programs.lacking)
        )
        reasons = {variant.name: lacking(variant) for variant in job.chosen}
    check_baseline(experiment, reasons)
    path = options.path or results.folder(experiment.kept_as) / f"{stamp()}.json"
    executor, drawn, run = make(job, reasons)
    run.path = path
    setting = witness.Setting(1, 1, cpus=len(machine.affinity()))
    race = Race(experiment, drawn, run, executor, setting, minutes=options.minutes)
    if isinstance(executor, MicroExecutor):
        executor.plan = lambda: race.plan
    return race


def make_dotnet(job: Job, reasons: Reasons) -> Made:
    """Benchmarks in one project: samples are BenchmarkDotNet's iterations."""
    experiment = job.experiment
    edits = {v.path.name: v.path for v in experiment.variants if v.edited}
    needs = {need for v in experiment.variants for need in v.needs if need.startswith("nuget:")}
    without = [need.partition(":")[2] for need in needs if programs.lacks(need)]
    project = micro.stage_folder(experiment.micro.project, edits, without)
    micro.build(project, job.say)
    variants, entries = enter(experiment, job.chosen, reasons)
    # BenchmarkDotNet warms up by itself; an entry's iterations of a launch come from one process
    alone = replace(job.options, warmup=0.0, interleaved=False)
    drawn = draw(replace(job, options=alone), entries, micro.TOOL)
    mode = experiment.modes[job.options.mode]
    warmup = mode.warmup_seconds if job.options.warmup is None else job.options.warmup
    executor = MicroExecutor(
        variants,
        project,
        warmups=max(1, round(warmup / drawn.sample_seconds)),
        folder=paths.scratch() / f"{experiment.name}-{stamp()}",
    )
    version = micro.version(project)
    return executor, drawn, timed_run(experiment, drawn, entries, version, executor.allocated)


def make_node(job: Job, reasons: Reasons) -> Made:
    """Functions of JavaScript files: samples are mitata's measurements."""
    experiment = job.experiment
    folder = paths.scratch() / f"{experiment.name}-{stamp()}"
    staged = programs.stage(experiment, folder)
    variants, entries = enter(staged, job.chosen, reasons)
    drawn = draw(job, entries, micro_node.TOOL)
    executor = NodeExecutor(variants, staged.micro.module)
    version = runners.npm_version(micro_node.TOOL)
    return executor, drawn, timed_run(staged, drawn, entries, version, executor.allocated)


def make_page(job: Job, reasons: Reasons) -> Made:
    """Clients of a web page: samples are what a page measures that is open in Chromium."""
    experiment = job.experiment
    server = web_page.build_server(experiment, job.say)
    variants, entries = enter(experiment, job.chosen, reasons)
    drawn = draw(job, entries, page_executor.TOOL)
    clients = [variant for variant in job.chosen if not reasons[variant.name]]
    executor = PageExecutor(
        variants,
        experiment.baseline,
        server,
        assemble=lambda: web_page.assemble(experiment, clients),
        port=job.options.port,
    )
    return executor, drawn, timed_run(experiment, drawn, entries, browser.version())


def make_client(job: Job, reasons: Reasons) -> Made:
    """Servers, each with its own client: samples are what the client measures."""
    experiment = job.experiment
    variants, entries = enter(experiment, job.chosen, reasons)
    drawn = draw(job, entries, client_executor.TOOL)
    executor = ClientExecutor(
        experiment.client, variants, experiment.baseline, first_port=job.options.port
    )
    return (
        executor,
        drawn,
        timed_run(experiment, drawn, entries, f"on .NET {runners.dotnet_version()}"),
    )


def draw(
    job: Job, entries: list[Entry], tool: str, seconds: float | None = None, connections: int = 0
) -> Plan:
    """The plan of a race; seconds: of a sample, as chosen or as the mode says where not given."""
    options = job.options
    return plan.make(
        [e.name for e in entries if e.status == "raced"],
        options.mode,
        job.experiment.modes[options.mode],
        connections=connections,
        tool=tool,
        seed=secrets.randbits(31) if options.seed is None else options.seed,
        sample_seconds=seconds or options.seconds,
        share=options.share,
        launches=options.launches,
        blocks=options.blocks,
        warmup_seconds=options.warmup,
        interleaved=options.interleaved,
        until=options.until,
    )


def timed_run(
    experiment: Experiment,
    drawn: Plan,
    entries: list[Entry],
    version: str,
    allocated: dict[str, float] | None = None,
) -> Run:
    return Run(
        experiment={
            "name": experiment.name,
            "title": experiment.title,
            "claim": experiment.claim.name,
            "path": "",
            "unit": "loads/s" if experiment.page or experiment.client else "operations/s",
        },
        plan=drawn.to_json(),
        tool={"name": drawn.tool, "version": version},
        pinning={"server": None, "client": None, "reason": f"{drawn.tool}'s processes"},
        machine=machine.manifest(),
        entries=entries,
        benchbook=benchbook.__version__,
        started=results.now(),
        messages=[f"variant '{e.name}' is unavailable: {e.reason}" for e in entries if e.reason],
        allocated_bytes=allocated,
    )


def check_baseline(experiment: Experiment, reasons: Reasons) -> None:
    """Raises BenchError where there is nothing to compare with."""
    if reason := reasons[experiment.baseline]:
        raise BenchError(f"the baseline '{experiment.baseline}' can't be raced: {reason}")


def choose(experiment: Experiment, names: tuple[str, ...]) -> list[Variant]:
    """The variants asked for (all where none is), always with what they are compared with."""
    if not names:
        return list(experiment.variants)
    asked = [experiment.variant(name) for name in names]
    wanted = {v.name for v in asked} | {experiment.reference(v) for v in asked}
    wanted.add(experiment.baseline)
    return [variant for variant in experiment.variants if variant.name in wanted]


def enter(
    experiment: Experiment, chosen: list[Variant], reasons: Reasons
) -> tuple[dict[str, Variant], list[Entry]]:
    """The contestants: each chosen variant, and right after the baseline its A/A copy."""
    variants: dict[str, Variant] = {}
    entries: list[Entry] = []
    for name in [variant.name for variant in chosen]:
        variant = experiment.variant(name)
        is_baseline = name == experiment.baseline
        copies = [(name, variant, "baseline" if is_baseline else "variant")]
        if is_baseline:
            twin = replace(variant, name=name + COPY, title=f"{variant.title} (A/A copy)")
            copies.append((twin.name, twin, "floor"))
        for entry_name, entry_variant, role in copies:
            variants[entry_name] = entry_variant
            entries.append(
                Entry(
                    name=entry_name,
                    title=entry_variant.title,
                    role=role,
                    file=paths.relative(entry_variant.path),
                    sha256=hashlib.sha256(entry_variant.path.read_bytes()).hexdigest(),
                    edited=entry_variant.edited,
                    status="unavailable" if reasons[name] else "raced",
                    reason=reasons[name],
                    series=variant.series,
                    case=variant.case,
                )
            )
    return variants, entries
