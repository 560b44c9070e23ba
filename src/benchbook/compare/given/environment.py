"""`--env NAME=0,1`: programs with several values of an environment variable."""

import re
from collections.abc import Sequence
from dataclasses import replace

from benchbook.compare.given.choice import Axis, Choice
from benchbook.model.variants import Variant
from benchbook_kernels.base.errors import InputError

FLAG = "--env"
PATH = "PATH"
OURS = ("PORT", "BACKEND_PORT", "PATHS")


def axes(typed: Sequence[str]) -> list[Axis]:
    """An axis for each variable, in order; one that is given again has those values, too.

    Raises InputError for what is no assignment.
    """
    values: dict[str, list[str]] = {}
    for each in typed:
        name, equals, text = each.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise InputError(FLAG, "", f"can't read '{each}'", "write NAME=0,1")
        if name in OURS:
            problem = f"{name} is given by Benchbook, a value for each program"
            raise InputError(FLAG, "", problem, "choose another variable")
        for value in text.split(","):
            if value in values.setdefault(name, []):
                raise InputError(FLAG, "", f"has {name}={value} twice", "leave one out")
            values[name].append(value)
    return [Axis(FLAG, tuple(choice(name, v) for v in those)) for name, those in values.items()]


def check(typed: Sequence[str], node: bool) -> None:
    """Raises InputError for what is no assignment, and for a PATH that would hide a version of
    Node.js. node: is one given?"""
    axes(typed)
    if node and any(each.partition("=")[0].upper() == PATH for each in typed):
        problem = "PATH is set by --node, so that commands find its version first"
        raise InputError(FLAG, "", problem, "leave one of them out")


def choice(name: str, value: str) -> Choice:
    def change(variant: Variant) -> Variant:
        return replace(variant, env={**variant.env, name: value})

    return Choice(f"{name}={value}", f"{name}={value}", change)
