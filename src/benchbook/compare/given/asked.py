"""What was asked for: the options that say what each program is given."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import click


@dataclass(frozen=True)
class Given:
    """What programs are given, as typed: each program is compared with every choice of it.

    git: "main..HEAD", "main,v1,HEAD", or "HEAD", which is compared with the working tree; setup: a
    command that is run in each checkout, and for each set of npm packages, before anything else;
    npm: "fastify@4..fastify@5", "fastify@4,5.1.0", or "fastify@5", which is compared with the
    installed version; nuget: "MessagePack@2.5.307,3.1.12"; node: "20,22,24"; dotnet: "8,9,10";
    env: "NAME=0,1", each; of several, every combination.
    """

    git: str = ""
    setup: str = ""
    npm: str = ""
    nuget: str = ""
    node: str = ""
    dotnet: str = ""
    env: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Is anything given? A command that sets up is none."""
        return bool(self.git or self.npm or self.nuget or self.node or self.dotnet or self.env)


def given(values: Mapping[str, Any]) -> Given:
    """What was given, from the values of GIVEN_OPTIONS by name; others are passed over. A Python
    program may give lists, and a dictionary of lists as `env`."""
    fields = {name: values[name] for name in Given.__dataclass_fields__ if values.get(name)}
    env = fields.pop("env", ())
    if isinstance(env, Mapping):
        env = tuple(f"{name}={joined(value)}" for name, value in env.items())
    texts = {name: joined(value) for name, value in fields.items()}
    return Given(**texts, env=(env,) if isinstance(env, str) else tuple(env))


def joined(value: Any) -> str:
    """A value, or several, as they are typed."""
    several = isinstance(value, Iterable) and not isinstance(value, str)
    return ",".join(map(str, value)) if several else str(value)


def option(flag: str, metavar: str, help: str, multiple: bool = False) -> click.Option:
    default = () if multiple else ""
    return click.Option([flag], metavar=metavar, help=help, multiple=multiple, default=default)


GIVEN_OPTIONS = (
    option(
        "--git",
        "REV1..REV2",
        "The programs as they are in these revisions (also a,b,c; one alone: against the working "
        "tree), each in a checkout of its own, in which --setup runs first.",
    ),
    option(
        "--npm",
        "NAME@V1..NAME@V2",
        "The programs with these versions of an npm package (also NAME@V1,V2, or files .tgz).",
    ),
    option("--nuget", "NAME@V1,V2", "The programs with these versions of a NuGet package."),
    option("--node", "20,22", "The programs by these versions of Node.js; npm brings them."),
    option("--dotnet", "8,9,10", "The programs by these versions of .NET; NuGet brings them."),
    option(
        "--env",
        "NAME=V1,V2",
        "The programs with these values of an environment variable; may be given again.",
        multiple=True,
    ),
)
