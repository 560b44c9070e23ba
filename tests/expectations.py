"""Sentences of notebooks and notes that state a result, bound to the recorded runs that say so.

A file of data/expectations names a text and its sentences; CONTRIBUTING.md has the fields. What
a sentence says of two programs is a range of their ratio: it holds where the whole confidence
interval lies within, and is refuted where the interval lies outside.
"""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import tomllib

import expected_profiles
from benchbook.analysis.judging import judge
from benchbook.analysis.judging.judge import Results
from benchbook.analysis.statistics.compared import Compared
from benchbook.compare.versions import flips
from benchbook.model import documents, experiments, picker, results
from benchbook.model.profiles import versions_files
from benchbook.model.runs import Run
from benchbook.system import paths

FOLDER = paths.root() / "data" / "expectations"
FIELDS = {  # what a relation needs beside its words; a field in brackets may be left out
    "faster": "variants than (by)",
    "slower": "variants than (by)",
    "within": "variants than by",
    "between": "variants than low high",
    "undecided": "variants than",
    "verdict": "statement verdict",
    "by-version": "answers versions statement verdict",
    "takes": "variants low high",
    "unavailable": "variants",
    "failed": "variants",
    "dearer": "profile low high",
    "spends": "profile functions low high",
    "layer": "profile layers low high",
    "counts": "profile counted variants low high",
}


@dataclass(frozen=True)
class Sentence:
    """One sentence: where it stands, its words, and what it says of which run.

    low, high: of the ratio of each variant to `than`, or of its nanoseconds an operation, or what
    is said of a profile (expected_profiles.py); contrary: it says that its bound is passed on the
    other side, as only a test of this test says.
    """

    file: str
    at: str
    words: str
    run: str
    relation: str
    variants: tuple[str, ...] = ()
    than: str = ""
    by: float = 0.0
    low: float = 0.0
    high: float = math.inf
    statement: str = ""
    verdict: str = ""
    answers: str = ""
    versions: tuple[str, ...] = ()
    profile: str = ""
    functions: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    counted: str = ""
    contrary: bool = False

    @property
    def place(self) -> str:
        return f"{self.file}, {self.at}: “{self.words}”"

    @property
    def range(self) -> tuple[float, float]:
        """Where a ratio has to lie for it to be true."""
        return {
            "faster": (1 + self.by, math.inf),
            "slower": (0, 1 / (1 + self.by)),
            "within": (1 / (1 + self.by), 1 + self.by),
            "undecided": (1, 1),
        }.get(self.relation, (self.low, self.high))


@dataclass(frozen=True)
class Finding:
    """What a run says of one comparison of a sentence, and whether that bears it out."""

    text: str
    holds: bool


def turned(sentence: Sentence) -> Iterator[Sentence]:
    """The sentence turned round: its contrary and, of a direction, the pair the other way."""
    yield replace(sentence, contrary=True)
    if sentence.relation in ("faster", "slower"):
        for name in sentence.variants:
            yield replace(sentence, variants=(sentence.than,), than=name)


def load() -> list[Sentence]:
    """All sentences of data/expectations."""
    return [each for path in sorted(FOLDER.glob("*.expect.toml")) for each in read(path)]


def read(path: Path) -> list[Sentence]:
    """The sentences of one file. Raises InputError, or AssertionError for fields that don't belong
    to the relation."""
    document = documents.read_toml(path, "expectations")
    found = []
    for table in document["sentence"]:
        for name in ("variants", "functions", "layers", "versions"):
            table[name] = tuple(table.get(name, ()))
        sentence = Sentence(**{"file": document["file"], "run": document["run"], **table})
        given = {key for key in table if table[key] != ()} - {"at", "words", "run"}
        wanted = FIELDS[sentence.relation].split()
        needed = {"relation", *(name for name in wanted if not name.startswith("("))}
        known = needed | {name.strip("()") for name in wanted}
        assert needed <= given <= known, f"{path.name}: {sentence.place} needs {wanted}: {given}"
        found.append(sentence)
    return found


def text_at(file: str, at: str) -> str:
    """A cell of a notebook, or a section of a Markdown file, with its white space made one space.

    Raises AssertionError where there is no such place, or two.
    """
    there = [body for name, body in places(file) if name == at]
    assert len(there) == 1, f"{file} has {len(there)} places called '{at}'"
    return there[0]


@cache
def places(file: str) -> list[tuple[str, str]]:
    """The cells of a notebook, or the sections of a Markdown file, each with its text."""
    text = (paths.root() / file).read_text(encoding="utf-8")
    reader = {".ipynb": cells, ".toml": questions}.get(Path(file).suffix, sections)
    found = reader(text)
    return [(name, " ".join(body.split())) for name, body in found]


def cells(text: str) -> Iterator[tuple[str, str]]:
    """The cells of a notebook by their ids."""
    for cell in json.loads(text)["cells"]:
        yield cell["id"], "".join(cell["source"])


def questions(text: str) -> Iterator[tuple[str, str]]:
    """What is asked in a quiz.toml, by name, with its choices and their reasons."""
    document = tomllib.loads(text)
    for table in [*document.get("question", ()), *document.get("guess", ())]:
        told = [table["asks"], *table["choices"].values(), *table.get("why", {}).values()]
        yield table["name"], " ".join([*told, table.get("because", "")])


def sections(text: str) -> Iterator[tuple[str, str]]:
    """The sections of a Markdown file by their headings, a line of bold text being one, too."""
    heading, body = "", ""
    for line in text.splitlines():
        bold = line.startswith("**") and line.endswith("**")
        if line.startswith("#") or bold:
            yield heading, body
            heading, body = line.strip("#* "), ""
        body += line + "\n"
    yield heading, body


@cache
def run(name: str) -> Run:
    read = {each.path: each for each in picker.reference_runs().values()}  # once for all tests
    path = paths.references() / name
    return read.get(path) or results.load(path)


@cache
def compared(name: str) -> Compared:
    return Compared.of(run(name))


@cache
def judged(name: str) -> Results:
    raced = run(name)
    return judge.judge(raced, experiments.find(raced.experiment.name).claim)


@cache
def answered(name: str) -> dict[tuple[str, str], str]:
    """The verdicts of a file of data/runs, as they are shown, by statement and version."""
    record = versions_files.read(paths.references() / name)
    return {
        (statement.id, version): answer.verdict
        for statement in record.statements
        for version, answer in flips.answers(record, statement.id).items()
    }


def findings(sentence: Sentence) -> Iterator[Finding]:
    """What the recorded run says of each comparison of a sentence."""
    says = not sentence.contrary
    if sentence.relation == "verdict":
        verdicts = {j.statement.id: j.verdict for j in judged(sentence.run).judgements}
        verdict = verdicts[sentence.statement]
        yield Finding(f"{sentence.statement} is {verdict}", (verdict == sentence.verdict) is says)
    elif sentence.relation == "by-version":
        for version in sentence.versions:
            verdict = answered(sentence.answers)[sentence.statement, version]
            told = f"{sentence.statement} is {verdict} with {version}"
            yield Finding(told, (verdict == sentence.verdict) is says)
    elif sentence.relation in ("unavailable", "failed"):
        for name in sentence.variants:
            status = run(sentence.run).entry(name).status
            yield Finding(f"{name} is {status}", (status == sentence.relation) is says)
    elif sentence.relation == "takes":
        for name in sentence.variants:
            ns = 1e9 / judged(sentence.run).medians[name]
            inside = sentence.low <= ns <= sentence.high
            yield Finding(f"{name} takes {ns:,.1f} ns", inside is says)
    elif sentence.profile:
        for text, value in expected_profiles.values(sentence):
            yield Finding(text, (sentence.low <= value <= sentence.high) is says)
    else:
        for name in sentence.variants:
            yield ratio(sentence, name, sentence.than)


def ratio(sentence: Sentence, a: str, b: str) -> Finding:
    """What the recorded run says of the ratio of a to b."""
    found = compared(sentence.run).interval(a, b)
    if found is None:
        return Finding(f"{a} or {b} was not raced", False)
    text = f"{a} / {b} = {found.ratio:.3f} [{found.low:.3f}, {found.high:.3f}]"
    low, high = sentence.range
    inside = low <= found.low and found.high <= high
    outside = found.high < low or found.low > high
    if sentence.relation == "undecided":
        return Finding(text, outside is sentence.contrary)
    return Finding(text, outside if sentence.contrary else inside)


def fallen(sentences: list[Sentence]) -> list[str]:
    """The sentences that the recorded runs do not bear out, each with what the run says."""
    return [
        f"{sentence.place}\n    not {sentence.relation}: {finding.text} "
        f"({sentence.answers or sentence.profile or sentence.run})"
        for sentence in sentences
        for finding in findings(sentence)
        if not finding.holds
    ]
