"""An experiment: a folder of snippets with an experiment.toml; the ones there are, by name."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from benchbook.model import claims, documents, experiment_file, kinds
from benchbook.model.claims import Claim
from benchbook.model.kinds.kind import Kind
from benchbook.model.naming import home, is_called, name_of
from benchbook.model.variants import Mode, Variant
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.base.nearest import did_you_mean, unknown

FILE = "experiment.toml"
K = TypeVar("K", bound=Kind)


@dataclass(frozen=True)
class Experiment:
    """A whole experiment.toml with the claim that it tests.

    `name`: the folder's, as "04-setheader-vs-writehead"; of a part, with the folder that holds all
    parts, as "07-serializers/http". `in_place`: programs run where they lie and not in a copy, as
    those of a comparison do (compare/). `delta`: of a comparison, the smallest difference that
    matters; None where a claim file says it.
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

    @property
    def number(self) -> str:
        """How a reader calls it: "04"; a part "07/http"."""
        return short(self.name)

    @property
    def saved_as(self) -> str:
        """Where its runs are kept: under its name, or in a place of their own for a copy that lies
        elsewhere, so that nobody takes a copy's figures for those of the checkout."""
        if self.folder.resolve().is_relative_to(paths.snippets().resolve()):
            return self.name
        place = hashlib.sha256(str(self.folder.resolve()).encode()).hexdigest()[:8]
        return f"elsewhere/{place}/{self.name}"

    @property
    def home(self) -> Path:
        """The folder that holds all that its variants may refer to."""
        return home(self.folder)

    @property
    def notebook(self) -> Path:
        return paths.notebooks() / f"{self.name.partition('/')[0]}.ipynb"

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

    def starting_order(self, names: Iterable[str], variants: Mapping[str, Variant]) -> list[str]:
        """Entries in the order to start them: the baseline first, then those that others must be
        like. variants: what each runs."""

        def rank(name: str) -> tuple[bool, bool]:
            return name != self.baseline, name != self.reference(variants[name])

        return sorted(names, key=rank)


def folders() -> Iterator[Path]:
    """The folders in snippets/ that hold an experiment or a part of one, in order."""
    if paths.snippets().is_dir():
        found = [*paths.snippets().glob(f"*/{FILE}"), *paths.snippets().glob(f"*/*/{FILE}")]
        yield from sorted(p.parent for p in found)


def load_all() -> list[Experiment]:
    """Every experiment in snippets/, in order. Raises InputError for the first that is wrong."""
    paths.need_checkout()
    return [load(folder) for folder in folders()]


def find(which: str) -> Experiment:
    """The experiment meant by a number (04), a name, a part (07/http), or the path of a folder.

    Raises InputError where there is none, or more than one.
    """
    found = called(which)
    if len(found) > 1:
        raise several(which, found, f"name one: {number_of(found[0])}")
    return load(found[0])


def find_all(which: str) -> list[Experiment]:
    """As `find`; of an experiment with parts, all of them."""
    found = called(which)
    if len(set(map(home, found))) > 1:
        raise several(which, found, f"name one: {name_of(found[0])}")
    return [load(folder) for folder in found]


def called(which: str) -> list[Path]:
    """The folders that are meant, one or the parts of one; of several that share a number, those.

    Raises InputError where there is none.
    """
    if os.path.isfile(Path(which) / FILE):
        return [Path(which).resolve()]
    is_path = os.path.isdir(which) or which.startswith((".", "/")) or "\\" in which
    if os.path.isdir(which) and which:
        parts = sorted(path.parent for path in Path(which).resolve().glob(f"*/{FILE}"))
        if found := [part for part in parts if home(part) != part]:
            return found
    paths.need_checkout()
    every = list(folders())
    matches = [folder for folder in every if is_called(which, folder)]
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
        raise InputError(f"experiment {which}", "", problem, remedy)
    return [folder for folder in matches if name_of(folder) == which] or matches


def named(which: str) -> list[Experiment]:
    """All parts of the experiment that is meant by a number or a name; none for a folder."""
    return [load(folder) for folder in folders() if is_called(which, folder)]


def several(which: str, found: list[Path], remedy: str) -> InputError:
    """The error of a name that means more than one; it shows them with their questions."""
    parts = len(set(map(home, found))) == 1
    called_by = number_of if parts else name_of
    width = max(len(called_by(each)) for each in found)
    listed = "".join(f"\n  {called_by(each):{width}}  {question_of(each)}" for each in found)
    what = f"has {len(found)} parts" if parts else "is not one but several"
    return InputError(f"experiment {which}", "", f"{what}:{listed}", remedy)


def number_of(folder: Path) -> str:
    """How a reader calls the experiment in a folder."""
    return short(name_of(folder))


def short(name: str) -> str:
    """The number of an experiment of that name: "04"; of a part "07/http"."""
    whole, _, part = name.partition("/")
    return "/".join(filter(None, [whole.partition("-")[0], part]))


def question_of(folder: Path) -> str:
    """Its question, '' of an experiment that is wrong, which is told where it is asked for."""
    try:
        return load(folder).question
    except InputError:
        return ""


def load(folder: Path) -> Experiment:
    """The experiment in `folder`. Raises InputError naming file, field and what was expected."""
    path = folder / FILE
    document = documents.read_toml(path, "experiment")
    where = paths.relative(path)

    def inside(file: str, field: str) -> Path:
        return experiment_file.inside(folder, file, where, field)

    kind = kinds.parse(document, where, inside)
    variants = experiment_file.parse_variants(document["variants"], folder, where)
    kinds.check_variants(kind, document["variants"], where)
    names = [variant.name for variant in variants]
    if document["baseline"] not in names:
        raise InputError(where, "baseline", unknown("variant", document["baseline"], names))
    experiment_file.check_references(variants, document["baseline"], where)
    if "claim" in document:
        experiment_file.check_claim_name(document["claim"], where)
        claim = claims.load(document["claim"], folder)
    else:
        claim = claims.none(document["title"], path)
    experiment_file.check_names(claim, names)
    experiment_file.check_script(claim, folder)
    return Experiment(
        name=name_of(folder),
        folder=folder,
        title=document["title"],
        question=document["question"],
        claim=claim,
        baseline=document["baseline"],
        kind=kind,
        modes=experiment_file.parse_modes(document["race"], names, where),
        variants=variants,
    )
