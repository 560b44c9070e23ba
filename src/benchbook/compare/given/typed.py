"""How choices are typed: `a..b`, or `a,b,c`; of packages `name@1..name@2`, or `name@1,2`."""

import re
from dataclasses import dataclass

from benchbook_kernels.base.errors import InputError

DOTS = re.compile(r"(?<=[^./\\])\.\.(?=[^./\\])")  # between two words, and not of a path
NAME = re.compile(r"(?P<name>(?:@[\w.~-]+/)?[\w.~-]+)(?:@(?P<version>\S+))?")


def choices(text: str, flag: str) -> list[str]:
    """The choices that are typed, in order. Raises InputError for none, and one that is empty or
    there twice."""
    found = [each.strip() for each in (text.split(",") if "," in text else DOTS.split(text))]
    if not all(found):
        raise InputError(flag, "", f"'{text}' has an empty choice", "write a,b or a..b")
    for each in found:
        if found.count(each) > 1:
            raise InputError(flag, "", f"has '{each}' twice", "leave one out")
    return found


@dataclass(frozen=True)
class Spec:
    """A package that is wanted. name: '' for one that is got otherwise (a file, an address),
    which `version` then is; version: as typed, '' for the newest."""

    name: str
    version: str


def packages(text: str, flag: str) -> list[tuple[Spec, ...]]:
    """The packages of each choice; of `name@1,2` the second is name@2, and `a@1 b@1,a@2 b@2` are
    two choices of two packages. Raises InputError."""
    found: list[tuple[Spec, ...]] = []
    for choice in choices(text, flag):
        first = found[0][0].name if found else ""
        words = choice.split()
        if first and len(words) == 1 and is_version(words[0]):
            found.append((Spec(first, words[0]),))
        else:
            found.append(tuple(map(package, words)))
        if found.count(found[-1]) > 1:
            raise InputError(flag, "", f"has '{choice}' twice", "leave one out")
    return found


def is_version(word: str) -> bool:
    """Is it a version or a tag of a package that was named before?"""
    return not set("@/\\:") & set(word) and not word.endswith((".tgz", ".tar.gz", ".nupkg"))


def package(word: str) -> Spec:
    """`name@version`, or what else a package is got by."""
    match = NAME.fullmatch(word)
    if not match or word[0] in "./~" or word.endswith((".tgz", ".tar.gz")):
        return Spec("", word)
    return Spec(match["name"], match["version"] or "")
