"""How versions are typed: `20,22`, `16..26`, of packages `NAME=3,4,5`; and which are meant."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields

from benchbook.compare.given import runtimes, typed
from benchbook.compare.given.asked import Given
from benchbook.programs import npm
from benchbook_kernels.base.errors import InputError

FLAGS = {"node": "--node", "npm": "--npm", "nuget": "--nuget", "dotnet": "--dotnet"}
NAMED = re.compile(r"(?P<name>(?:@[\w.~-]+/)?[\w.~-]+)[=@](?P<versions>.+)")
Every = Callable[[], Sequence[str]]  # the versions that there are


@dataclass(frozen=True)
class TypedAxis:
    """What was typed. name: one of FLAGS; package: that has the versions, '' for a runtime;
    versions: as typed; fixed: other packages, each in one version."""

    name: str
    package: str
    versions: str
    fixed: Mapping[str, str]

    @property
    def flag(self) -> str:
        return FLAGS[self.name]


def read(given: Given) -> TypedAxis | None:
    """The axis that is asked for, None where none is. Raises InputError for two, and for what can't
    be read."""
    asked = [each.name for each in fields(given) if getattr(given, each.name)]
    if not asked:
        return None
    if len(asked) > 1:
        problem = f"goes against {FLAGS[asked[0]]}: an axis has versions of one thing"
        raise InputError(FLAGS[asked[1]], "", problem, "leave one of them out")
    [name], text = asked, getattr(given, asked[0])
    if name in ("node", "dotnet"):
        return TypedAxis(name, "", text, {})
    return of_packages(name, text)


def of_packages(name: str, text: str) -> TypedAxis:
    """`NAME=1,2,OTHER=3`: the package with several versions has the axis."""
    found: dict[str, list[str]] = {}
    flag, package = FLAGS[name], ""
    for each in text.split(","):
        if match := NAMED.fullmatch(each.strip()):
            package = match["name"]
            if package in found:
                raise InputError(flag, "", f"names {package} twice", "NAME=1,2 names its versions")
        elif not package:
            raise InputError(flag, "", f"'{each}' names no package", "write NAME=3,4 or NAME=3..5")
        found.setdefault(package, []).append(match["versions"] if match else each)
    several = [each for each, those in found.items() if len(those) > 1 or ".." in those[0]]
    if len(several) != 1:
        what = f"several of {' and of '.join(several)}" if several else "one version"
        problem = f"'{text}' names {what}"
        raise InputError(flag, "", problem, "name two versions or more of one package: NAME=3,4")
    fixed = {each: those[0] for each, those in found.items() if each != several[0]}
    for each, version in fixed.items():
        check(version, flag, f"{each}=1.2.3")
    return TypedAxis(name, several[0], ",".join(found[several[0]]), fixed)


def labels(axis: TypedAxis, every: Every) -> list[str]:
    """The versions that are meant, as typed, of `a..b` those that there are between; in order.

    Raises InputError for one alone, one twice, a range that goes backwards or is empty; and what
    `every` raises, which is asked for a range only.
    """
    named = f"{axis.package}=" if axis.package else ""
    ends = typed.DOTS.split(axis.versions)
    if "," in axis.versions or len(ends) == 1:
        found = typed.choices(axis.versions, axis.flag)
        found = [check(each, axis.flag, f"{named}20,22") for each in found]
        for each in found:
            if found.count(each) > 1:
                raise InputError(axis.flag, "", f"has '{each}' twice", "leave one out")
        if len(found) == 1:
            problem = f"names one version, {found[0]}"
            raise InputError(axis.flag, "", problem, f"name two or more: {named}{found[0]},…")
        return sorted(found, key=npm.order)
    if len(ends) > 2:
        problem = f"can't read '{axis.versions}'"
        raise InputError(axis.flag, "", problem, f"a range has two ends: {named}16..26")
    low, high = (check(each, axis.flag, f"{named}16..26") for each in ends)
    if npm.order(low) >= npm.order(high):
        problem = f"'{axis.versions}' is no range"
        raise InputError(axis.flag, "", problem, f"the older first: {named}{high}..{low}")
    found = between(low, high, every())
    if len(found) < 2:
        there = f"only {found[0]}" if found else "none"
        problem = f"there are no two versions in {axis.versions} ({there})"
        raise InputError(axis.flag, "", problem, "name others")
    return found


def check(version: str, flag: str, example: str) -> str:
    """The version without its v. Raises InputError for what is none."""
    match = runtimes.VERSION.fullmatch(version)
    if not match:
        raise InputError(flag, "", f"'{version}' is no version", f"write numbers: {example}")
    return match[1]


def between(low: str, high: str, every: Sequence[str]) -> list[str]:
    """The versions from one to another, both included: main versions ("22") where both are, else
    all that were released."""
    released = sorted((each for each in every if "-" not in each), key=npm.order)
    if "." not in low + high:
        mains = dict.fromkeys(each.partition(".")[0] for each in released)
        return [each for each in mains if int(low) <= int(each) <= int(high)]
    first, last = npm.order(low), npm.order(high)
    return [
        each
        for each in released
        if npm.order(each) >= first and (npm.order(each) <= last or is_of(each, high))
    ]


def is_of(whole: str, version: str) -> bool:
    """Is it one of a version? 22.23.3 is of 22, and of 22.23."""
    return f"{whole}.".startswith(f"{version}.")


def newest(version: str, every: Sequence[str]) -> str:
    """The newest of a version that there is, '' where there is none; one that is not released only
    where it is typed whole."""
    fitting = [each for each in every if is_of(each, version)]
    return max([e for e in fitting if "-" not in e or e == version], key=npm.order, default="")
