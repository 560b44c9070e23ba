"""What a notebook works on: one experiment, the reader's edits and guesses, and the last run."""

import difflib
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchbook import experiments, judge, limits, micro_node, paths, results, runners
from benchbook.errors import InputError
from benchbook.experiments import Experiment, Variant
from benchbook.judge import Results
from benchbook.prepare import Options
from benchbook.results import Run

if TYPE_CHECKING:
    from benchbook.predictions import Prediction


@dataclass
class Workbench:
    """The state behind the magics of one notebook.

    guesses: the ratio to the baseline that the reader expects, by variant; open_guesses: those that
    no race has answered yet; unkept: answered ones that could not be written (predictions.py).
    run: the race that the magics speak of; raced_here: the last one of this notebook.
    """

    experiment: Experiment
    edits: dict[str, Variant] = field(default_factory=dict)
    guesses: dict[str, float] = field(default_factory=dict)
    open_guesses: set[str] = field(default_factory=set)
    unkept: list["Prediction"] = field(default_factory=list)
    run: Run | None = None
    raced_here: Run | None = None

    @property
    def raced_experiment(self) -> Experiment:
        """The experiment with the reader's edits in place of the snippets."""
        changed = self.experiment
        for variant in self.edits.values():
            changed = changed.with_edit(variant)
        return changed

    def results(self) -> Results:
        """What the last run says; the newest complete one on disk where none was made here.

        Raises InputError where there is no run at all.
        """
        run = self.run or results.latest(self.experiment.kept_as)
        if run is None:
            raise InputError("%race", "", "has not run yet", "run the cell with %race first")
        self.run = run
        return judge.judge(run, self.experiment.claim)

    def edit(self, name: str, code: str) -> str:
        """Take a cell's code for a variant; returns what became of it, in a sentence or a diff.

        Code that equals the snippet goes back to the snippet. Raises InputError for an unknown
        variant, or for JavaScript that Node.js can't parse. Variants of one file change together.
        """
        variant = self.experiment.variant(name)
        file = paths.relative(variant.path)
        alike = [v for v in self.experiment.variants if v.path == variant.path]
        names = ", ".join(v.name for v in alike)
        verb = "is" if len(alike) == 1 else "are"
        if code.rstrip() == variant.code.rstrip():
            for each in alike:
                self.edits.pop(each.name, None)
            return f"{names} {verb} {file}, unchanged. {self.by_hand(variant)}".rstrip()
        folder = paths.scratch() / f"{self.experiment.name}-edits" / name
        shutil.rmtree(folder, ignore_errors=True)
        # a second copy of a project would confuse BenchmarkDotNet, which looks for it by its name
        ignored = ("bin", "obj", "*.csproj") if self.experiment.micro else ("bin", "obj")
        home = self.experiment.home.resolve()
        shutil.copytree(home, folder, ignore=shutil.ignore_patterns(*ignored))
        path = folder / variant.path.relative_to(home)
        path.write_text(code.rstrip() + "\n", encoding="utf-8")
        check_syntax(path, name)
        for each in alike:
            self.edits[each.name] = replace(each, path=path, edited=True)
        changes = difflib.unified_diff(
            variant.code.splitlines(),
            code.rstrip().splitlines(),
            file,
            "your edit",
            lineterm="",
            n=1,
        )
        said = f"{names} {verb} now your edit; %race takes it, {file} stays as it is."
        return "\n".join([said, *changes])

    def by_hand(self, variant: Variant) -> str:
        """How to run a variant without Benchbook, '' where that is not known."""
        if self.experiment.micro and self.experiment.micro.module:
            return f"By hand: {micro_node.by_hand(self.experiment.micro.module, variant)}"
        if self.experiment.micro:
            folder = paths.relative(self.experiment.micro.project.parent)
            command = f"cd {folder} && dotnet run -c Release -- --filter '*{variant.benchmark}'"
            return f"By hand: {command}"
        if self.experiment.page:
            return f"By hand: ./bench page {self.experiment.number}"
        runner = runners.find(variant.path)
        return f"By hand: {runner.by_hand(variant)}" if runner else ""

    def guess(self, words: str, amount: str) -> tuple[str, float]:
        """Note a guess, as ("writeHead object", "+5%"); returns the variant and the ratio.

        Raises InputError where the variant or the amount can't be understood.
        """
        variant = self.match(words)
        if variant.name == self.experiment.baseline:
            raise InputError(
                "%predict", "", f"'{variant.name}' is the baseline: it is compared with"
            )
        ratio = parse_amount(amount)
        self.guesses[variant.name] = ratio
        self.open_guesses.add(variant.name)
        return variant.name, ratio

    def match(self, words: str) -> Variant:
        """The one variant meant by a name, or by words of its name or title."""
        for variant in self.experiment.variants:
            if words == variant.name:
                return variant
        wanted = squeeze(words)
        found = [
            v
            for v in self.experiment.variants
            if wanted and wanted in squeeze(v.name) + "|" + squeeze(v.title)
        ]
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(v.name for v in found)
            raise InputError("%predict", "", f"'{words}' may be any of {names}", "name one of them")
        return self.experiment.variant(words)

    def options(self, **chosen) -> Options:
        """The options of a race: as chosen in the cell, within the environment's limits."""
        mode = limits.mode(chosen.pop("mode", None))
        allowed = limits.read()
        given = {**allowed.presets, "share": allowed.share}
        if not self.experiment.http:  # these are of a load generator
            given = {n: v for n, v in given.items() if n not in ("tool", "connections")}
        given.update({name: value for name, value in chosen.items() if value not in (None, ())})
        usual = self.experiment.modes.get(mode)
        otherwise = usual and {"seconds": usual.sample_seconds, "warmup": usual.warmup_seconds}
        for name, limit in allowed.lengths.items():
            given[name] = allowed.most(name, given.get(name, (otherwise or {}).get(name, limit)))
        return Options(mode=mode, **given)


def squeeze(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def parse_amount(text: str) -> float:
    """A guess as a ratio: +5%, -3 %, 1.05, 2x. Raises InputError for anything else."""
    cleaned = text.replace("−", "-").replace(" ", "")
    if match := re.fullmatch(r"([+-]?\d+(?:\.\d+)?)%", cleaned):
        ratio = 1 + float(match.group(1)) / 100
    elif match := re.fullmatch(r"(\d+(?:\.\d+)?)[x×]?", cleaned):
        ratio = float(match.group(1))
    else:
        raise InputError("%predict", "", f"can't read '{text}'", "write +5%, -3% or 2x")
    if ratio <= 0:
        raise InputError("%predict", "", f"'{text}' would leave nothing", "write +5%, -3% or 2x")
    return ratio


def parse_share(text: str) -> float:
    """1% or 0.01 as a share. Raises InputError for what is not between 0 and 1."""
    number = text.strip()
    try:
        share = float(number[:-1]) / 100 if number.endswith("%") else float(number)
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise InputError("--until", "", f"'{text}' is not a width", "write 1% or 0.01")
    return share


def parse_guess(line: str) -> tuple[str, str]:
    """`writeHead object +5 %` as (variant words, amount). Raises InputError."""
    match = re.fullmatch(r"(.+?)\s+([+\-−]?\s*\d+(?:\.\d+)?\s*[%x×]?)", line.strip())
    if not match:
        raise InputError("%predict", "", f"can't read '{line}'", "write %predict VARIANT +5%")
    return " ".join(shlex.split(match.group(1))), match.group(2)


def check_syntax(path: Path, name: str) -> None:
    """Raises InputError with Node.js's own message where a file does not parse."""
    if path.suffix not in runners.Node.suffixes:
        return
    try:
        done = subprocess.run(
            ["node", "--check", str(path)], capture_output=True, text=True, timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return  # the race will say what is wrong with Node.js itself
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        lines = [
            line.replace(path.as_uri(), path.name).replace(str(path), path.name) for line in lines
        ]
        message = "\n".join(line for line in lines if not line.startswith(("    at ", "Node.js ")))
        raise InputError(
            f"%%variant {name}", "", f"is not JavaScript that Node.js can read:\n{message}"
        )


def find(which: str) -> Workbench:
    """The workbench of an experiment named by number, name or folder. Raises InputError."""
    return Workbench(experiments.find(which))
