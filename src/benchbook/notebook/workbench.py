"""What a notebook works on: one experiment, the reader's edits and guesses, and the last run."""

import difflib
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from benchbook.analysis.judging import judge
from benchbook.analysis.judging.judge import Results
from benchbook.model import experiments, picker, results
from benchbook.model.experiments import Experiment
from benchbook.model.results import now
from benchbook.model.runs import Run
from benchbook.model.variants import Variant
from benchbook.notebook import predictions
from benchbook.notebook.guesses import parse_amount
from benchbook.notebook.predictions import GuessInWords, OpenGuess, Prediction
from benchbook.programs import readiness, runners
from benchbook.race import limits, turn
from benchbook.race.kinds import registry as kinds
from benchbook.race.options import Options
from benchbook.race.replay.replay import FOLDER
from benchbook.show.cards.guess_cards import Guess
from benchbook.system import paths
from benchbook_kernels.base.errors import BenchError, InputError
from benchbook_kernels.base.nearest import squeezed
from benchbook_kernels.base.running import run
from benchbook_kernels.base.words import counted

CLOCK_SECONDS = 2.0  # run files tell their start in whole seconds


@dataclass
class Workbench:
    """The state behind the magics of one notebook.

    refused: the variants whose last edit could not be read; guesses: the ratio that the reader
    expects, by variant; open_guesses: those that no race has answered yet; unkept: answered ones
    that could not be written (predictions.py). run: the race that the magics speak of; raced_here:
    the last one of this notebook; sentences: what the reader concludes (%%claim); scratch: where
    edits are kept, None for the usual place. unguessed: what is to be guessed and was
    not yet, by variant the one that it is compared with, '' for the baseline; in_words: guesses of
    questions in words, by name.
    """

    experiment: Experiment
    edits: dict[str, Variant] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    guesses: dict[str, Guess] = field(default_factory=dict)
    open_guesses: set[str] = field(default_factory=set)
    unguessed: dict[str, str] = field(default_factory=dict)
    in_words: dict[str, GuessInWords] = field(default_factory=dict)
    unkept: list[Prediction] = field(default_factory=list)
    run: Run | None = None
    raced_here: Run | None = None
    sentences: str = ""
    scratch: Path | None = None

    @property
    def edits_in(self) -> Path:
        """The folder that holds a copy of the experiment for each variant that was edited."""
        return self.scratch or paths.scratch() / f"{self.experiment.name}-edits"

    @property
    def raced_experiment(self) -> Experiment:
        """The experiment with the reader's edits in place of the snippets."""
        changed = self.experiment
        for variant in self.edits.values():
            changed = changed.with_edit(variant)
        return changed

    def results(self) -> Results:
        """What the last run says; the one on disk that speaks (model/picker.py) where none was
        made here.

        Raises InputError where there is no run at all.
        """
        run = self.run or picker.own_run(self.experiment)
        if run is None:
            raise InputError("%race", "", "has not run yet", "run the cell with %race first")
        self.run = run
        return self.judged(run)

    def judged(self, run: Run) -> Results:
        """What a run of this experiment says, also one that still goes on."""
        return judge.judge(run, self.experiment.claim)

    @property
    def last_run(self) -> Run:
        """The run that the magics speak of. Raises InputError as results() does."""
        self.results()
        assert self.run is not None
        return self.run

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
        for each in alike:
            self.edits.pop(each.name, None)
            self.refused.discard(each.name)
        if code.rstrip() == variant.code.rstrip():
            said = f"{names} {verb} {file}, unchanged. {self.by_hand(variant)}".rstrip()
            return "\n".join(filter(None, [said, readiness.remark(variant)]))
        folder = self.edits_in / name
        shutil.rmtree(folder, ignore_errors=True)
        ignored = self.experiment.kind.not_edited
        home = self.experiment.home.resolve()
        shutil.copytree(home, folder, ignore=shutil.ignore_patterns("node_modules", *ignored))
        readiness.link_packages(self.experiment, folder)
        path = folder / variant.path.relative_to(home)
        path.write_text(code.rstrip() + "\n", encoding="utf-8")
        try:
            check_syntax(path, name)
        except InputError:
            self.refused |= {each.name for each in alike}
            raise
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
        noted = readiness.remark(replace(variant, path=path))
        return "\n".join(filter(None, [said, noted, *changes]))

    def refusals(self) -> str:
        """What a race takes instead of refused edits, in a sentence; '' where none was."""
        if not self.refused:
            return ""
        refused = [v for v in self.experiment.variants if v.name in self.refused]
        edits = ", ".join(v.name for v in refused)
        files = ", ".join(dict.fromkeys(paths.relative(v.path) for v in refused))
        what = "The last edit of" if len(refused) == 1 else "The last edits of"
        return f"{what} {edits} could not be read and was refused: this race takes {files}."

    def newest(self, replay: bool) -> Run:
        """The newest race of this experiment on disk that has samples, or the newest replay; it may
        have been cut short. Raises InputError where there is none, or where it is still running."""
        method = " --as-published" if replay else ""
        what, saved_as = f"%race --last{method}", self.experiment.saved_as
        for file in results.saved(f"{saved_as}/{FOLDER}" if replay else saved_as):
            run = next(iter(picker.readable([file])), None)
            if run is None or bool(run.replay) != replay:
                continue
            if is_running(run):
                told = f"the race that began at {run.started} is still running"
                count = f"{counted(len(run.samples), 'sample')} so far"
                raise InputError(what, "", f"{told}, with {count}", "run this cell when it is over")
            if not (run.samples or replay):
                continue
            if not (run.finished or run.complete):
                run.reason = "it ended without a chance to say why"
            return run
        problem = f"{self.experiment.name} has not been raced here"
        raise InputError(what, "", problem, f"run the cell with %race{method} first")

    def by_hand(self, variant: Variant) -> str:
        """How to run a variant without Benchbook, '' where that is not known."""
        command = kinds.of(self.experiment).by_hand(self.experiment, variant)
        return f"By hand: {command}" if command else ""

    def guess(self, words: str, amount: str, to: str = "", reason: str = "") -> tuple[str, Guess]:
        """Note a guess, as ("writeHead object", "+5%"); returns the variant and the guess.

        to: words of the variant that it is compared with, '' for the baseline; reason: why.
        Raises InputError where a variant or the amount can't be understood.
        """
        name, other = self.pair(words, to)
        guess = Guess(parse_amount(amount), other, reason)
        self.guesses[name] = guess
        self.open_guesses.add(name)
        self.unguessed.pop(name, None)
        return name, guess

    def ask(self, words: str, to: str = "") -> str:
        """Note what is to be guessed; a guess that there was in this notebook is taken back.

        Returns what went wrong with that, '' where nothing did. Raises InputError.
        """
        name, other = self.pair(words, to)
        self.unguessed[name] = other
        known = self.guesses.pop(name, None)
        if name not in self.open_guesses:
            return ""
        self.open_guesses.discard(name)
        return for_room(lambda: predictions.take_back(self.experiment.name, name)) if known else ""

    def pair(self, words: str, to: str = "") -> tuple[str, str]:
        """The variant that is guessed of, and the one that it is compared with ('': the baseline).

        words: of a variant, or the id of a statement that compares two. Raises InputError.
        """
        for statement in self.experiment.claim.statements:
            if words == statement.id and not to and len(statement.names) == 2:
                words, to = statement.names
        name, baseline = self.match(words).name, self.experiment.baseline
        other = self.match(to).name if to else baseline
        if name == other:
            what = "the baseline: it is compared with" if name == baseline else "itself"
            problem, remedy = f"'{name}' is {what}", "guess for another variant"
            raise InputError("%predict", "--to" if to else "", problem, remedy)
        return name, "" if other == baseline else other

    def match(self, words: str) -> Variant:
        """The one variant meant by a name, or by words of its name or title."""
        for variant in self.experiment.variants:
            if words == variant.name:
                return variant
        wanted = squeezed(words)
        found = [
            v
            for v in self.experiment.variants
            if wanted and wanted in squeezed(v.name) + "|" + squeezed(v.title)
        ]
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(v.name for v in found)
            raise InputError("%predict", "", f"'{words}' may be any of {names}", "name one of them")
        return self.experiment.variant(words)

    def settle(self, found: Results) -> str:
        """Keep the open guesses of which the last race has a result.

        Returns what went wrong, '' where nothing did; the guesses wait here then.
        """
        run = self.run
        if run is None or not run.complete or predictions.is_off():
            return ""
        for name in sorted(self.open_guesses):
            guess = self.guesses[name]
            interval = found.against(name, guess.to)
            if interval is None:
                continue
            prediction = Prediction(
                experiment=self.experiment.name,
                variant=name,
                edited=run.entry(name).edited,
                to=guess.to,
                guess=guess.ratio,
                ratio=interval.ratio,
                low=interval.low,
                high=interval.high,
                delta=found.delta(name, guess.to or run.baseline),
                run=run.path.name if run.path else "",
                when=run.finished or now(),
                reason=guess.reason,
            )
            self.open_guesses.discard(name)
            self.unkept.append(prediction)
        return self.keep()

    def keep_open(self, name: str) -> str:
        """Keep a guess before its race; returns what went wrong, '' where nothing did."""
        guess = self.guesses[name]
        named = (self.experiment.name, name, guess.ratio, now(), guess.to, guess.reason)
        return for_room(lambda: predictions.keep_open(OpenGuess(*named)))

    def keep(self) -> str:
        """Write the guesses that wait here; returns what went wrong, '' where nothing did."""
        if not self.unkept:
            return ""
        try:
            predictions.add(self.unkept)
        except BenchError as error:
            waiting = len(self.unkept)
            count = "1 guess waits" if waiting == 1 else f"{waiting} guesses wait"
            return f"{error}\n{count} in this notebook; %score writes them, once that is done."
        self.unkept.clear()
        return ""

    def options(self, **chosen: object) -> Options:
        """The options of a race: as chosen in the cell, within the environment's limits."""
        asked = chosen.pop("mode", None)
        mode = limits.mode(str(asked) if asked else None)
        allowed = limits.read()
        given: dict[str, Any] = {**allowed.presets, "share": allowed.share}
        if not self.experiment.kind.under_load:  # these are of a load generator
            given = {n: v for n, v in given.items() if n not in ("tool", "connections")}
        said = {name: value for name, value in chosen.items() if value not in (None, ())}
        if "variants" in given and "variants" not in said:  # the environment says which race
            said.pop("more", None)
        given.update(said)
        if given.get("until") and allowed.lengths.get("launches") == 1:
            raise InputError(
                limits.VARIABLE,
                "launches",
                "allows one launch, which says nothing about the others",
                "at least 2 with --until",
            )
        return Options(mode=mode, most=allowed.lengths, **given)


def is_running(run: Run) -> bool:
    """Is this race, of a file that says nothing of an end, the one that goes on now?"""
    holder = None if run.finished else turn.holder()
    if holder is None:
        return False
    return datetime.fromisoformat(run.started).timestamp() >= holder.since - CLOCK_SECONDS


def check_syntax(path: Path, name: str) -> None:
    """Raises InputError with Node.js's own message where a file does not parse."""
    if path.suffix not in runners.NODE.suffixes:
        return
    try:
        done = run(["node", "--check", path], timeout=20)
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


def for_room(keep: Callable[[], None]) -> str:
    """Change what is kept for a room; returns what went wrong, '' where nothing did."""
    problem = predictions.problem_with(keep)
    said = "What you did is in this notebook, and not in the room's guesses."
    return f"{problem}\n{said}" if problem else ""
