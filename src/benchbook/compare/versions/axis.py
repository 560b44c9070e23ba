"""The versions of an axis: which can be had, what each gives a program, and what is to be got."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial

from benchbook.compare.given import nuget as given_nuget
from benchbook.compare.given import runtimes
from benchbook.compare.given.asked import Given
from benchbook.compare.given.choice import Change
from benchbook.compare.given.typed import Spec
from benchbook.compare.versions import npm_sets, typed
from benchbook.compare.versions.typed import TypedAxis
from benchbook.model.experiments import Experiment
from benchbook.model.profiles.by_version import VersionTold
from benchbook.model.variants import Variant
from benchbook.programs import dotnet_versions, node_versions, npm, nuget, packages, runners
from benchbook.programs.readiness import Say
from benchbook_kernels.base.errors import BenchError, InputError

NODE_MB, DOTNET_MB, PACKAGE_MB = 50, 100, 5  # about, as registries send them
NOT_GOT = "it was not got"
Allow = Callable[[str], bool]  # may this be got? A sentence, for who is to say yes or no


@dataclass(frozen=True)
class WantedVersion:
    """A version before it is got. told: in words; change: gives it to a program, asked for when it
    is there; get: brings it, None where it is here or a build brings it; megabytes: that come,
    about; missing: why it can't be had."""

    label: str
    told: str
    change: Callable[[], Change]
    get: Callable[[Say], None] | None = None
    megabytes: int = 0
    missing: str = ""


WantedOf = Callable[[TypedAxis, Sequence[str], Experiment, ExitStack], list[WantedVersion]]


@dataclass(frozen=True)
class AxisVersion:
    """A version that programs can be given once it is brought (`change`), or why not."""

    wanted: WantedVersion
    change: Change | None = None
    missing: str = ""

    @property
    def label(self) -> str:
        return self.wanted.label

    @property
    def told(self) -> str:
        return self.wanted.told

    def document(self) -> VersionTold:
        return VersionTold(self.label, self.told, self.missing)

    def brought(self, say: Say) -> "AxisVersion":
        """The same, got where it was not here, or with why it can't be."""
        if self.missing or self.change:
            return self
        try:
            if self.wanted.get:
                self.wanted.get(say)
            return replace(self, change=self.wanted.change())
        except BenchError as error:
            return replace(self, missing=error.message)


@dataclass(frozen=True)
class VersionAxis:
    """Versions of one thing, in order. subject: that has them; varies: is a program given one?"""

    flag: str
    subject: str
    versions: tuple[AxisVersion, ...]
    varies: Callable[[Variant], bool]


def axis(
    given: Given, experiment: Experiment, allow: Allow, stack: ExitStack, halved: bool
) -> VersionAxis:
    """The axis that was typed; nothing is got yet. allow: asked where something would be; stack:
    what is made for the races goes with it; halved: are only as many versions raced as it takes to
    halve them down to one?

    Raises InputError for what makes no sense, or not with this experiment, BenchError where no
    version can be had.
    """
    asked = typed.read(given)
    if not asked:
        remedy = "give one: --node 20,22,24"
        raise InputError("versions", "", "of what is not said", remedy)
    varies = partial(varied, asked)
    if not any(map(varies, experiment.variants)):
        raise InputError(asked.flag, "", unfit(asked, experiment), "leave it out")
    subject, every, wanted = kind_of(asked)
    found = wanted(asked, typed.labels(asked, every), experiment, stack)
    lacking = [each for each in found if each.megabytes and not each.missing]
    most = 2 + len(found).bit_length() if halved else len(found)
    allowed = not lacking or allow(question(lacking, most))
    versions = tuple(
        AxisVersion(each, None, each.missing or ("" if allowed or not each.megabytes else NOT_GOT))
        for each in found
    )
    if all(each.missing for each in versions):
        reasons = "; ".join(f"{each.told}: {each.missing}" for each in versions)
        raise BenchError(f"{asked.flag}: no version can be had ({reasons})", "name others")
    return VersionAxis(asked.flag, subject, versions, varies)


def varied(asked: TypedAxis, variant: Variant) -> bool:
    """Is a program given the versions of an axis? Not where it names one itself."""
    if variant.address:
        return False
    named = any(need.startswith(f"{asked.name}:") for need in variant.needs)
    if asked.name == "node":
        return not named and not runtimes.needs_node(variant)
    if asked.name == "dotnet":
        return not named and not runtimes.needs_dotnet(variant)
    return f"{asked.name}:{asked.package}" in variant.needs


def unfit(asked: TypedAxis, experiment: Experiment) -> str:
    """Why an experiment has no such axis, and which packages it could have."""
    if asked.name == "node":
        return f"is for none of the programs of {experiment.number}: no Node.js runs them"
    if asked.name == "dotnet":
        return f"is for none of the programs of {experiment.number}: .NET does not run them"
    needs = dict.fromkeys(need for each in experiment.variants for need in each.needs)
    there = [n.partition(":")[2] for n in needs if n.startswith(f"{asked.name}:") and "@" not in n]
    told = f"there are: {', '.join(there)}" if there else "it has none"
    return f"no program of {experiment.number} needs the package {asked.package} ({told})"


def kind_of(asked: TypedAxis) -> tuple[str, typed.Every, WantedOf]:
    """What an axis has versions of, those that there are, and how they become versions."""
    name = asked.package
    kinds: dict[str, tuple[str, typed.Every, WantedOf]] = {
        "node": ("Node.js", lambda: npm.versions(node_versions.package()), node),
        "npm": (name, lambda: npm.versions(name), npm_package),
        "nuget": (name, lambda: nuget.versions(name), nuget_package),
        "dotnet": (".NET", every_dotnet, dotnet),
    }
    return kinds[asked.name]


def question(lacking: Sequence[WantedVersion], most: int) -> str:
    """What would be got, and how large that is; most: so many of all that are named."""
    names = ", ".join(each.told for each in lacking)
    sizes = sorted((each.megabytes for each in lacking), reverse=True)[:most]
    how_many = f" (at most {most} of them)" if most < len(lacking) else ""
    return f"{names}{how_many}: not here yet, about {sum(sizes)} MB"


# ── Runtimes ─────────────────────────────────────────────────────────────────────────────────────


def unavailable(label: str, told: str, reason: str) -> WantedVersion:
    return WantedVersion(label, told, lambda: same, missing=reason)


def same(variant: Variant) -> Variant:
    return variant


def node(
    _asked: TypedAxis, labels: Sequence[str], _experiment: Experiment, _stack: ExitStack
) -> list[WantedVersion]:
    return list(map(node_version, labels))


def node_version(label: str) -> WantedVersion:
    """The one that was got before, the installed one where it is of this version, else npm's."""

    def change() -> Change:
        return runtimes.node_choice(label).change

    if node_versions.find(label) or node_versions.is_installed(label):
        return WantedVersion(label, f"Node.js {node_versions.whole_number(label)}", change)
    try:
        every = npm.versions(node_versions.package())
    except BenchError as error:
        return unavailable(label, f"Node.js {label}", error.message)
    if not (whole := typed.newest(label, every)):
        return unavailable(label, f"Node.js {label}", "npm has none of this version")
    get = partial(node_versions.get_one, label, whole)
    return WantedVersion(label, f"Node.js {whole}", change, get, NODE_MB)


def every_dotnet() -> Sequence[str]:
    return nuget.versions(f"{dotnet_versions.NAME}.{dotnet_versions.system()}")


def dotnet(
    _asked: TypedAxis, labels: Sequence[str], _experiment: Experiment, _stack: ExitStack
) -> list[WantedVersion]:
    """Installed ones where all are, else builds that bring their runtime, so that all are alike.

    Raises InputError for a version before there was one .NET, BenchError without the SDK.
    """
    if missing := runners.Dotnet().missing():
        raise BenchError(missing)
    for label in labels:
        runtimes.check_dotnet(label)
    installed = dotnet_versions.installed()
    if all(label in installed for label in labels):
        return [dotnet_version(label, label, installed[label]) for label in labels]
    return [brought(label) for label in labels]


def brought(label: str) -> WantedVersion:
    """A version of .NET whose runtime a build gets from NuGet."""
    try:
        whole = typed.newest(label, every_dotnet())
    except BenchError as error:
        return unavailable(label, f".NET {label}", error.message)
    if not whole:
        return unavailable(label, f".NET {label}", "NuGet here has no runtime of this version")
    here = packages.has_cached(f"{dotnet_versions.NAME}.{dotnet_versions.system()}@{whole}")
    return dotnet_version(label, whole, whole, 0 if here else DOTNET_MB)


def dotnet_version(label: str, needed: str, whole: str, megabytes: int = 0) -> WantedVersion:
    def change() -> Change:
        return runtimes.dotnet_choice(label, needed).change

    return WantedVersion(label, f".NET {whole}", change, None, megabytes)


# ── Packages ─────────────────────────────────────────────────────────────────────────────────────


def npm_package(
    asked: TypedAxis, labels: Sequence[str], experiment: Experiment, stack: ExitStack
) -> list[WantedVersion]:
    """Versions of an npm package, each installed in a folder of its own; programs run as copies in
    it, and find all else where they would at home."""
    return [npm_version(asked, label, experiment, stack) for label in labels]


def npm_version(
    asked: TypedAxis, label: str, experiment: Experiment, stack: ExitStack
) -> WantedVersion:
    name = asked.package
    try:
        whole = typed.newest(label, npm.versions(name))
    except BenchError as error:
        return unavailable(label, f"{name} {label}", error.message)
    if not whole:
        return unavailable(label, f"{name} {label}", "npm has none of this version")
    specs = (f"{name}@{whole}", *(f"{each}@{version}" for each, version in asked.fixed.items()))
    folder = npm_sets.folder(specs)
    told = f"{name} {whole}"

    def change() -> Change:
        return npm_sets.change(experiment, folder, [name, *asked.fixed], stack)

    if npm_sets.is_there(folder):
        return WantedVersion(label, told, change)
    get = partial(npm_sets.get, specs, folder)
    return WantedVersion(label, told, change, get, PACKAGE_MB)


def nuget_package(
    asked: TypedAxis, labels: Sequence[str], _experiment: Experiment, _stack: ExitStack
) -> list[WantedVersion]:
    """Versions of a NuGet package, which builds are given."""
    if missing := runners.Dotnet().missing():
        raise BenchError(missing)
    return [nuget_version(asked, label) for label in labels]


def nuget_version(asked: TypedAxis, label: str) -> WantedVersion:
    name = asked.package
    try:
        every = nuget.versions(name)
    except BenchError as error:
        return unavailable(label, f"{name} {label}", error.message)
    if not (whole := typed.newest(label, every)):
        return unavailable(label, f"{name} {label}", "NuGet here has none of this version")
    specs = [Spec(name, whole), *(Spec(*each) for each in asked.fixed.items())]

    def change(variant: Variant) -> Variant:
        mine = [each for each in specs if f"nuget:{each.name}" in variant.needs]
        named = {f"nuget:{each.name}": f"nuget:{each.name}@{each.version}" for each in mine}
        needs = tuple(named.get(need, need) for need in variant.needs)
        given = given_nuget.properties(mine)
        return replace(variant, needs=needs, properties=(*variant.properties, *given))

    here = all(packages.has_cached(f"{each.name}@{each.version}") for each in specs)
    return WantedVersion(label, f"{name} {whole}", lambda: change, None, 0 if here else PACKAGE_MB)
