"""An experiment: a folder of snippets with an experiment.toml; the ones there are, by name."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import tomllib

from benchbook.model import claims, documents, experiment_file, kinds
from benchbook.model.claims import Claim
from benchbook.model.documents import Tell, refuse, telling
from benchbook.model.kinds.kind import Kind
from benchbook.model.naming import NAME, home, is_called, name_of, short
from benchbook.model.variants import Mode, Variant
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.nearest import did_you_mean, unknown

FILE = "experiment.toml"
VERSIONS = "versions"  # how answers by version end (profiles/versions_files.py)
K = TypeVar("K", bound=Kind)


@dataclass(frozen=True)
class Experiment:
    """A whole experiment.toml with the claim that it tests.

    `name`: the folder's, as "04-setheader-vs-writehead"; of a part, with the folder that holds all
    parts, as "07-serializers/http". `in_place`: programs run where they lie and not in a copy, as
    those of a comparison do (compare/). `delta`: of a comparison, the smallest difference that
    matters; None where a claim file says it. `told_in`: the name of its notebook, where the parts
    of an experiment have notebooks of their own.
    """

    name: str
    folder: Path
    title: str
    question: str
    claim: Claim
    baseline: str
    kind: Kind
    modes: Mapping[str, Mode]
    variants: tuple[Variant, ...]
    in_place: bool = False
    delta: float | None = None
    told_in: str = ""

    @property
    def number(self) -> str:
        """How a reader calls it: "04"; a part "07/http"."""
        return short(self.name)

    @property
    def is_ours(self) -> bool:
        """Does it lie in the checkout's snippets/?"""
        return is_ours(self.folder)

    @property
    def saved_as(self) -> str:
        """Where its runs are kept: under its name, or in a place of their own for one that lies
        elsewhere, so that nobody takes a copy's figures for those of the checkout."""
        if self.is_ours:
            return self.name
        place = hashlib.sha256(str(self.folder.resolve()).encode()).hexdigest()[:8]
        return f"elsewhere/{place}/{self.name}"

    @property
    def home(self) -> Path:
        """The folder that holds all that its variants may refer to."""
        return home(self.folder)

    @property
    def notebook(self) -> Path:
        """In the checkout's notebooks/; of one that lies elsewhere in its folder."""
        return notebook_of(self.folder, self.told_in)

    def asked_in(self, file: str) -> Path:
        """Where a file of what its notebook asks lies: beside the experiment or, where parts have
        notebooks of their own, in a folder of the notebook's name."""
        return self.home / self.told_in / file

    @property
    def typed(self) -> str:
        """What it is called on a command line: its number; its folder where the number means none
        or more than this one."""
        meant = [folder.resolve() for folder in folders() if is_called(self.number, folder)]
        return self.number if meant == [self.folder.resolve()] else os.path.relpath(self.folder)

    def kind_as(self, wanted: type[K]) -> K:
        """Its kind, which must be the one wanted. Raises InputError where it is another."""
        if not isinstance(self.kind, wanted):
            problem = f"has no [{wanted.table}] table"
            raise InputError(f"experiment {self.name}", "", problem)
        return self.kind

    def variant(self, name: str) -> Variant:
        """Raises InputError where there is no such variant."""
        for variant in self.variants:
            if variant.name == name:
                return variant
        names = [variant.name for variant in self.variants]
        raise InputError(f"experiment {self.name}", "", unknown("variant", name, names))

    def with_edit(self, variant: Variant) -> "Experiment":
        """The same experiment with an edited copy of one variant in the original's place."""
        changed = tuple(variant if v.name == variant.name else v for v in self.variants)
        return replace(self, variants=changed)

    def reference(self, variant: Variant) -> str:
        """The name of the variant whose answer this one must equal; may be its own."""
        return variant.answers_like or self.baseline

    def with_references(self, names: Iterable[str]) -> frozenset[str]:
        """These entries, and those whose answers theirs must equal; a copy's is its original's."""
        found = set(names)
        references = {v.name: self.reference(v) for v in self.variants}
        while missing := {references.get(name, name) for name in found} - found:
            found |= missing
        return frozenset(found)

    def starting_order(self, names: Iterable[str], variants: Mapping[str, Variant]) -> list[str]:
        """Entries in the order to start them: the baseline first, and each after the one that it
        must be like. variants: what each runs."""

        def steps(name: str) -> int:
            other = self.reference(variants[name])
            return 0 if other == name or other not in variants else 1 + steps(other)

        return sorted(names, key=lambda name: (name != self.baseline, steps(name)))


def folders() -> Iterator[Path]:
    """The folders that hold a known experiment, or a part of one, each once: those in snippets/ in
    order, then those of BENCHBOOK_PATH; or those of --in."""
    found: dict[Path, Path] = {}
    for place in paths.places():
        for folder in folders_in(place):
            found.setdefault(folder.resolve(), folder)
    yield from found.values()


def folders_in(place: Path) -> list[Path]:
    """The experiments in a folder and the parts of them, in order; or the folder itself."""
    if os.path.isfile(place / FILE):
        return [place]
    return sorted([*(p.parent for p in place.glob(f"*/{FILE}")), *parts_in(place)])


def parts_in(place: Path) -> list[Path]:
    """The parts of the experiments in a folder."""
    found = (path.parent for path in place.glob(f"*/*/{FILE}"))
    return [folder for folder in found if home(folder) != folder]


def load_all() -> list[Experiment]:
    """Every known experiment, in order. Raises InputError for the first that is wrong, and where
    two have one name."""
    paths.need_place()
    found = [load(folder) for folder in folders()]
    check_clashes([experiment.folder for experiment in found])
    return found


def check_clashes(found: Iterable[Path]) -> None:
    """Raises InputError where two folders' experiments have one name: what is kept of each, and
    their pages, go by it."""
    by_name: dict[str, Path] = {}
    for folder in found:
        other = by_name.setdefault(name_of(folder), folder)
        if other != folder:
            where = f"{paths.relative(other)} and {paths.relative(folder)}"
            problem = f"is the name of two experiments: {where}"
            remedy = "rename one of the folders, or name the one that holds it with --in"
            raise InputError(f"experiment {name_of(folder)}", "", problem, remedy)


def find(which: str) -> Experiment:
    """The experiment meant by a number (04), a name, a part (07/http), or the path of a folder.

    Raises InputError where there is none, or more than one.
    """
    found = called(which)
    if len(found) > 1:
        raise several(which, found)
    return load(found[0])


def find_all(which: str) -> list[Experiment]:
    """As `find`; of an experiment with parts, all of them."""
    found = called(which)
    if len(set(map(home, found))) > 1:
        raise several(which, found)
    return [load(folder) for folder in found]


def called(which: str) -> list[Path]:
    """The folders that are meant, one or the parts of one; of several that share a number, those.

    Raises InputError where there is none.
    """
    every = list(folders())
    matches = [folder for folder in every if is_called(which, folder)]
    if not (matches and paths.only()) and (there := at(which)):
        return there
    paths.need_place()
    is_path = os.path.isdir(which) or which.startswith((".", "/")) or "\\" in which
    if not matches and os.path.exists(which) and not os.path.isdir(which):
        remedy = f"an experiment is a number (04), a name, or a folder that holds an {FILE}"
        raise InputError(which, "", "is a file, not an experiment", remedy)
    if not matches and is_path:
        raise InputError(which, "", f"has no {FILE}", f"give a folder that holds an {FILE}")
    if not matches:
        numbers = ", ".join(dict.fromkeys(number_of(home(folder)) for folder in every))
        hint = did_you_mean(which, map(name_of, every)) or f" (there are: {numbers or 'none'})"
        problem = f"no experiment '{which}'{hint}"
        remedy = "./bench list, or %experiment in a notebook, shows them all"
        if folder := paths.only():
            remedy = f"--in {folder} leaves the others out"
        if lost := [str(place) for place in paths.places() if not place.is_dir()]:
            remedy += f"; {paths.PATH} names what is not there: {', '.join(lost)}"
        raise InputError(f"experiment {which}", "", problem, remedy)
    return [folder for folder in matches if name_of(folder) == which] or matches


def at(which: str) -> list[Path]:
    """The experiment in the folder of this path, or its parts; none where it holds neither."""
    if os.path.isfile(Path(which) / FILE):
        return [Path(which).resolve()]
    if which and os.path.isdir(which):
        parts = sorted(path.parent for path in Path(which).resolve().glob(f"*/{FILE}"))
        return [part for part in parts if home(part) != part]
    return []


def named(which: str) -> list[Experiment]:
    """All parts of the experiment that is meant by a number or a name; none for a folder."""
    return [load(folder) for folder in folders() if is_called(which, folder)]


def of_notebook(notebook: Path) -> list[Experiment]:
    """The experiment, or all parts of it, of a notebook: what is wrong in somebody's half-written
    other one is not its affair."""
    ours = notebook.parent.resolve() == paths.notebooks().resolve()
    there = folders_in(paths.snippets()) if ours else at(str(notebook.parent))
    return [load(each) for each in there if notebook_at(each).resolve() == notebook.resolve()]


def is_ours(folder: Path) -> bool:
    """Does it lie in the checkout's snippets/?"""
    return folder.resolve().is_relative_to(paths.snippets().resolve())


def notebook_of(folder: Path, named: str = "") -> Path:
    """The notebook of the experiment in a folder: that of the whole, or the one that it names."""
    place = paths.notebooks() if is_ours(folder) else home(folder).resolve()
    return place / f"{named or home(folder).name}.ipynb"


def notebook_at(folder: Path) -> Path:
    """The notebook of the experiment in a folder, whatever else is wrong with that."""
    try:
        text = (folder / FILE).read_text(encoding="utf-8")
        named = tomllib.loads(text).get("notebook") if "notebook" in text else None
    except (OSError, ValueError):  # load() says what is wrong
        named = None
    return notebook_of(folder, named if isinstance(named, str) and NAME.fullmatch(named) else "")


def several(which: str, found: list[Path], remedy: str = "") -> InputError:
    """The error of a name that means more than one; it shows them with their questions."""
    parts = len(set(map(home, found))) == 1
    called_by: Callable[[Path], str] = number_of if parts else name_of
    if len(set(map(called_by, found))) < len(found):
        called_by = paths.relative  # of two places, by one name
    width = max(len(called_by(each)) for each in found)
    listed = "".join(f"\n  {called_by(each):{width}}  {question_of(each)}" for each in found)
    what = f"has {len(found)} parts" if parts else "is not one but several"
    remedy = remedy or f"name one: {called_by(found[0])}"
    return InputError(f"experiment {which}", "", f"{what}:{listed}", remedy)


def number_of(folder: Path) -> str:
    """How a reader calls the experiment in a folder."""
    return short(name_of(folder))


def question_of(folder: Path) -> str:
    """Its question, '' of an experiment that is wrong, which is told where it is asked for."""
    try:
        return load(folder).question
    except InputError:
        return ""


def load(folder: Path, tell: Tell = refuse) -> Experiment:
    """The experiment in `folder`. Raises InputError naming file, field and what was expected.

    tell: told of what is wrong beyond the form; if it does not raise, the rest is looked at, too.
    """
    path = folder / FILE
    document = documents.read_toml(path, "experiment")
    where = paths.relative(path)
    if folder.name == VERSIONS:
        problem = f"a part can't be called '{VERSIONS}'"
        remedy = "what is recorded of it would be taken for answers by version: rename its folder"
        tell(InputError(where, "", problem, remedy))

    def inside(file: str, field: str) -> Path:
        return experiment_file.inside(folder, file, where, field)

    kind = kinds.parse(document, where, inside)
    variants = experiment_file.parse_variants(document["variants"], folder, where, tell)
    with telling(tell):
        kinds.check_variants(kind, document["variants"], where)
    names = [variant.name for variant in variants]
    if document["baseline"] not in names:
        problem = unknown("variant", document["baseline"], names)
        tell(InputError(where, "baseline", problem))
    experiment_file.check_references(variants, document["baseline"], where, tell)
    modes = experiment_file.parse_modes(document["race"], names, where, tell)
    if "claim" in document:
        experiment_file.check_claim_name(document["claim"], where)
        claim = claims.load(document["claim"], folder, tell)
    else:
        claim = claims.none(document["title"], path)
    experiment_file.check_names(claim, names, tell)
    with telling(tell):
        experiment_file.check_script(claim, folder)
    return Experiment(
        name=name_of(folder),
        folder=folder,
        title=document["title"],
        question=document["question"],
        claim=claim,
        baseline=document["baseline"],
        kind=kind,
        modes=modes,
        told_in=document.get("notebook", ""),
        variants=variants,
    )
