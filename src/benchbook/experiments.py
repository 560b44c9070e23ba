"""An experiment: a folder of snippets with an experiment.toml, read and checked."""

import difflib
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchbook import claims, documents, paths
from benchbook.claims import Claim
from benchbook.errors import InputError

FILE = "experiment.toml"
KINDS = ("http", "micro", "page", "client")  # how variants are measured
SHORTEST_LOAD = 0.2  # seconds of a sample with a load generator


@dataclass(frozen=True)
class Variant:
    """One program that does the job one way.

    `headers` are the response headers that differ from the baseline's on purpose: their value, a
    list of values (one a system, as for HttpListener's `server`), or False for one that is absent.
    `edited` says that the file is a reader's scratch copy.
    `backend` is the program that the variant (a proxy) passes requests on to; `publish`: a .NET
    program that is published, not just built. `env`: environment variables that make variants of
    one file. `answers_like`: the variant whose answer it must equal, '' for the baseline's; its own
    name where others are compared with it. `paths`: how many paths it is asked, at random (it finds
    the number in the environment variable PATHS); None: the one path only.
    `benchmark`: of a micro experiment, as "Class.Method" or as its module knows it.
    `series` and `case` place it in a plot of growth: its line, and where on the x axis ("N=10",
    "100 paths"); in a micro experiment the case is the one that the benchmark is run in.
    """

    name: str
    title: str
    path: Path
    needs: tuple[str, ...] = ()
    headers: Mapping[str, str | bool | list[str]] = field(default_factory=dict)
    ready_seconds: float = 10.0
    backend: Path | None = None
    publish: bool = False
    env: Mapping[str, str] = field(default_factory=dict)
    answers_like: str = ""
    paths: int | None = None
    benchmark: str = ""
    series: str = ""
    case: str = ""
    edited: bool = False

    @property
    def code(self) -> str:
        """Raises InputError where it is no UTF-8 text."""
        try:
            return self.path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            problem = f"is not UTF-8 (byte {error.start})"
            raise InputError(paths.relative(self.path), "", problem, "save it as UTF-8") from None


@dataclass(frozen=True)
class Mode:
    """How long to race: `quick` for a workshop, `full` for an answer. All in seconds.

    variants: those that race where the caller names none; all where it is empty.
    """

    budget_seconds: float
    sample_seconds: float
    warmup_seconds: float = 0.2
    launches: int | None = None
    blocks: int | None = None
    variants: tuple[str, ...] = ()


@dataclass(frozen=True)
class Http:
    """What is asked of each server.

    path: asked until a server is ready, and to compare answers; paths: the form of those that
    variants with `paths` are asked, as "/items/{number}"; unknown: one that all must answer with
    status 404.
    """

    path: str
    connections: int = 50
    tool: str = "auto"
    paths: str = ""
    unknown: str = ""


@dataclass(frozen=True)
class Micro:
    """Functions are timed in their process, not servers under load. Either is given:

    project: of C#, timed by BenchmarkDotNet (micro.py); module: of JavaScript, which makes a
    function of a variant's file, to be timed by mitata (micro_node.py).
    """

    project: Path | None = None
    module: Path | None = None


@dataclass(frozen=True)
class Page:
    """A web page loads data in a browser, with one client a variant (web_page.py).

    site: its index.html, beside all else that it needs; server: gives the files and the data;
    packages: of npm, which its clients import.
    """

    site: Path
    server: Path
    packages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Client:
    """Each variant is a server and its own client, which loads `path` (client_executor.py)."""

    path: str


@dataclass(frozen=True)
class Experiment:
    """A whole experiment.toml with the claim that it tests. One of KINDS is given.

    `name`: the folder's, as "04-setheader-vs-writehead"; of a part, with the folder that holds all
    parts, as "07-serializers/http".
    """

    name: str
    folder: Path
    title: str
    question: str
    claim: Claim
    baseline: str
    http: Http | None
    modes: Mapping[str, Mode]
    variants: tuple[Variant, ...]
    micro: Micro | None = None
    page: Page | None = None
    client: Client | None = None

    @property
    def number(self) -> str:
        """How a reader calls it: "04"; a part "07/http"."""
        whole, _, part = self.name.partition("/")
        return "/".join(filter(None, [whole.partition("-")[0], part]))

    @property
    def kept_as(self) -> str:
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


def unknown(kind: str, name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    return f"no {kind} '{name}'{hint} (there are: {', '.join(known) or 'none'})"


NUMBERED = re.compile(r"\d\d[a-z]?-")


def home(folder: Path) -> Path:
    """The folder of an experiment, or the one that holds all parts of it ("07-serializers")."""
    is_part = NUMBERED.match(folder.parent.name) and not NUMBERED.match(folder.name)
    return folder.parent if is_part else folder


def name_of(folder: Path) -> str:
    """What the experiment in a folder is called: "04-name", a part of one "07-name/part"."""
    return folder.relative_to(home(folder).parent).as_posix()


def folders() -> Iterator[Path]:
    """The folders in snippets/ that hold an experiment or a part of one, in order."""
    if paths.snippets().is_dir():
        found = [*paths.snippets().glob(f"*/{FILE}"), *paths.snippets().glob(f"*/*/{FILE}")]
        yield from sorted(p.parent for p in found)


def load_all() -> list[Experiment]:
    """Every experiment in snippets/, in order. Raises InputError for the first that is wrong."""
    return [load(folder) for folder in folders()]


def find(which: str) -> Experiment:
    """The experiment meant by a number (04), a name, a part (07/http), or the path of a folder.

    Raises InputError where there is none, or more than one.
    """
    if (Path(which) / FILE).is_file():
        return load(Path(which).resolve())
    every = list(folders())
    matches = [folder for folder in every if is_called(which, folder)]
    exact = [folder for folder in matches if name_of(folder) == which]
    if len(matches) > 1 and not exact:
        names = ", ".join(map(name_of, matches))
        raise InputError(f"experiment {which}", "", f"is not one but several: {names}", "name one")
    if not matches and (Path(which).is_dir() or which.startswith((".", "/")) or "\\" in which):
        raise InputError(which, "", f"has no {FILE}", f"give a folder that holds an {FILE}")
    if not matches:
        names = [name_of(folder) for folder in every]
        raise InputError(f"experiment {which}", "", unknown("experiment", which, names))
    return load((exact or matches)[0])


def is_called(which: str, folder: Path) -> bool:
    """Is an experiment meant by 4, 04, 04-name, or a part by 07, 07/http, 07-name, 07-name/http?"""
    wanted, _, wanted_part = which.partition("/")
    whole, _, part = name_of(folder).partition("/")
    number = wanted.zfill(2) if wanted.isdigit() else wanted
    return number in (whole, whole.partition("-")[0]) and wanted_part in ("", part)


def load(folder: Path) -> Experiment:
    """The experiment in `folder`. Raises InputError naming file, field and what was expected."""
    path = folder / FILE
    document = documents.read_toml(path, "experiment")
    where = paths.relative(path)
    check_kind(document, where)
    micro = parse_micro(document, folder, where)
    variants = parse_variants(document["variants"], folder, where)
    names = [variant.name for variant in variants]
    if document["baseline"] not in names:
        raise InputError(where, "baseline", unknown("variant", document["baseline"], names))
    check_references(variants, document["baseline"], where)
    check_paths(variants, document.get("http", {}), where)
    claim_name = document["claim"]
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", claim_name):
        problem = f"'{claim_name}' is not the name of a claim: no folders, no '..'"
        raise InputError(where, "claim", problem, "name a file in data/claims, without .toml")
    if not claim_name.endswith(".toml") and not (paths.claims() / f"{claim_name}.toml").is_file():
        known = sorted(p.stem for p in paths.claims().glob("*.toml"))
        raise InputError(where, "claim", unknown("claim", claim_name, known))
    claim = claims.load(claim_name, folder)
    check_names(claim, names)
    check_script(claim, folder)
    return Experiment(
        name=name_of(folder),
        folder=folder,
        title=document["title"],
        question=document["question"],
        claim=claim,
        baseline=document["baseline"],
        http=Http(**document["http"]) if "http" in document else None,
        modes=parse_modes(document, names, where),
        variants=variants,
        micro=micro,
        page=parse_page(document, folder, where),
        client=Client(**document["client"]) if "client" in document else None,
    )


def check_kind(document: dict[str, Any], where: str) -> None:
    """Raises InputError where it does not say in one way how variants are measured."""
    given = [kind for kind in KINDS if kind in document]
    if len(given) != 1:
        problem = f"is given beside {given[0]}" if given else "is missing"
        remedy = "give one of " + ", ".join(f"[{kind}]" for kind in KINDS)
        raise InputError(where, given[-1] if given else KINDS[0], problem, remedy)


def parse_page(document: dict[str, Any], folder: Path, where: str) -> Page | None:
    page = document.get("page")
    if page is None:
        return None
    site, server = (inside(folder, page[key], where, f"page.{key}") for key in ("site", "server"))
    return Page(site, server, tuple(page.get("packages", ())))


def parse_micro(document: dict[str, Any], folder: Path, where: str) -> Micro | None:
    """The [micro] table. Raises InputError where variants and it do not go together."""
    micro = document.get("micro")
    if micro is not None and len(micro) != 1:
        problem = "names both a project and a module" if micro else "is empty"
        raise InputError(where, "micro", problem, "give either project (C#) or module (Node.js)")
    for i, entry in enumerate(document["variants"]):
        field_name = f"variants[{i}] ('{entry['name']}').benchmark"
        if micro is not None and "benchmark" not in entry:
            remedy = "name it as Class.Method, or as the module knows it"
            raise InputError(where, field_name, "is missing", remedy)
        if micro is None and "benchmark" in entry:
            raise InputError(where, field_name, "goes with [micro] only")
        if micro and "project" in micro and "." not in entry["benchmark"]:
            problem = f"'{entry['benchmark']}' is no method of a class"
            raise InputError(where, field_name, problem, "name it as Class.Method")
    if micro is None:
        return None
    ((kind, file),) = micro.items()
    return Micro(**{kind: inside(folder, file, where, f"micro.{kind}")})


def parse_modes(document: dict[str, Any], names: list[str], where: str) -> dict[str, Mode]:
    """The [race.…] tables. Raises InputError for variants that do not exist, and for samples too
    short for a load generator."""
    for name, mode in document["race"].items():
        for variant in mode.get("variants", ()):
            if variant not in names:
                field_name = f"race.{name}.variants"
                raise InputError(where, field_name, unknown("variant", variant, names))
        if "http" in document and mode["sample_seconds"] < SHORTEST_LOAD:
            problem = (
                f"expected at least {SHORTEST_LOAD} with [http], found {mode['sample_seconds']}"
            )
            remedy = "a load generator needs that long to start and to be in full swing"
            raise InputError(where, f"race.{name}.sample_seconds", problem, remedy)
    return {
        name: Mode(**{**mode, "variants": tuple(mode.get("variants", ()))})
        for name, mode in document["race"].items()
    }


def parse_variants(entries: list[dict[str, Any]], folder: Path, where: str) -> tuple[Variant, ...]:
    variants: list[Variant] = []
    for i, entry in enumerate(entries):
        field_name = f"variants[{i}] ('{entry['name']}')"
        if entry["name"] in [v.name for v in variants]:
            raise InputError(where, f"{field_name}.name", "is the name of two variants")
        files = {
            key: inside(folder, entry[key], where, f"{field_name}.{key}")
            for key in ("file", "backend")
            if key in entry
        }
        headers = {name.lower(): value for name, value in entry.get("headers", {}).items()}
        variants.append(
            Variant(
                name=entry["name"],
                title=entry["title"],
                path=files["file"],
                needs=tuple(entry.get("needs", ())),
                headers=headers,
                ready_seconds=entry.get("ready_seconds", Variant.ready_seconds),
                backend=files.get("backend"),
                publish=entry.get("publish", False),
                env=environment(entry),
                paths=entry.get("paths"),
                answers_like=entry.get("answers_like", ""),
                benchmark=entry.get("benchmark", ""),
                series=entry.get("series", ""),
                case=entry.get("case", ""),
            )
        )
    return tuple(variants)


def environment(entry: Mapping[str, Any]) -> dict[str, str]:
    """The environment variables of a variant, with the number of its paths."""
    paths_ = {"PATHS": str(entry["paths"])} if "paths" in entry else {}
    return {**paths_, **entry.get("env", {})}


def inside(folder: Path, name: str, where: str, field_name: str) -> Path:
    """The path of a file that must lie in an experiment's folder, or that of all its parts.

    Raises InputError.
    """
    if "\0" in name:
        raise InputError(where, field_name, "holds a null character")
    path = (folder / name).resolve()
    if not path.is_relative_to(home(folder).resolve()):
        problem = f"'{name}' lies outside the experiment's folder"
        raise InputError(where, field_name, problem, "keep variants in the folder")
    if not path.is_file():
        problem = f"'{name}' does not exist in {paths.relative(folder)}"
        raise InputError(where, field_name, problem)
    return path


def check_references(variants: tuple[Variant, ...], baseline: str, where: str) -> None:
    """What others must answer like exists, and is not itself compared with a third one."""
    known = {variant.name: variant for variant in variants}
    for i, variant in enumerate(variants):
        name, field_name = variant.answers_like, f"variants[{i}] ('{variant.name}').answers_like"
        if name and name not in known:
            raise InputError(where, field_name, unknown("variant", name, list(known)))
        if variant.name == baseline and name not in ("", baseline):
            raise InputError(where, field_name, "is given for the baseline", "leave it out")
        if name and known[name].answers_like != name and name != baseline:
            problem = f"'{name}' is compared with another variant itself"
            remedy = f"give '{name}' answers_like = \"{name}\", or name another"
            raise InputError(where, field_name, problem, remedy)


def check_paths(variants: tuple[Variant, ...], http: Mapping[str, Any], where: str) -> None:
    """What is asked at random has a form, and the path that is asked alone is one of them."""
    if "paths" not in http:
        for i, variant in enumerate(variants):
            if variant.paths:
                field_name = f"variants[{i}] ('{variant.name}').paths"
                remedy = 'give their form in http.paths, as "/items/{number}"'
                raise InputError(where, field_name, "is given without http.paths", remedy)
    elif http["path"] != http["paths"].replace("{number}", "0"):
        problem = f"'{http['path']}' is not the first of http.paths ('{http['paths']}')"
        raise InputError(where, "http.path", problem, "number 0 is always there: give that one")


def check_names(claim: Claim, names: list[str]) -> None:
    """Every variant that the claim speaks of must exist in the experiment."""
    where = paths.relative(claim.path)
    for i, statement in enumerate(claim.statements):
        for name in statement.names:
            if name not in names:
                field_name = f"statements[{i}] ('{statement.id}')"
                raise InputError(where, field_name, unknown("variant", name, names))
    for i, figure in enumerate(claim.figures):
        if figure.variant and figure.variant not in names:
            field_name = f"figures[{i}] ('{figure.label}').variant"
            raise InputError(where, field_name, unknown("variant", figure.variant, names))
    for name in getattr(claim.method, "order", ()):
        if name not in names:
            raise InputError(where, "published.order", unknown("variant", name, names))


def check_script(claim: Claim, folder: Path) -> None:
    """The script of a published loop must be in the experiment's folder."""
    script = getattr(claim.method, "script", "")
    if script and not (folder / script).is_file():
        problem = f"'{script}' does not exist in {paths.relative(folder)}"
        raise InputError(paths.relative(claim.path), "published.script", problem)
