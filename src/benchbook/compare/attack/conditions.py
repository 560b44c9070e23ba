"""The small changes under which a pair is raced again: none of them should turn a verdict round."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from benchbook.compare.given import runtimes
from benchbook.model.experiments import Experiment
from benchbook.model.kinds.http import Http
from benchbook.model.kinds.kind import Kind
from benchbook.model.variants import Variant
from benchbook.programs import dotnet_versions, node_versions, runners
from benchbook.race.options import Options

USUAL = "as usual"
CONNECTIONS = (10, 50, 200)
NODE_VERSIONS = ("22", "24", "26")
PADDING_BYTES = 4096
# What a runtime may be told that changes how, and not what, it computes.
OF_NODE = {
    "a heap with small steps": {"NODE_OPTIONS": "--max-semi-space-size=1"},
    "a heap with large steps": {"NODE_OPTIONS": "--max-semi-space-size=64"},
}
OF_DOTNET = {
    "compiled without a profile": {"DOTNET_TieredPGO": "0"},
    "compiled once, at full": {"DOTNET_TieredCompilation": "0"},
    "a heap with small steps": {"DOTNET_GCgen0size": "0x100000"},
}
# Where the environment ends the stack begins (Mytkowicz et al. 2009, doi:10.1145/1508244.1508275).
OF_ALL = {"a longer environment": {"BENCHBOOK_PADDING": "x" * PADDING_BYTES}}


@dataclass(frozen=True)
class Condition:
    """name: in words, unique; connections: of the load, None for the experiment's own; env: what
    both programs find in their environment besides; needs: of both, besides; swapped: the other one
    is the baseline; pinned: are programs and load kept apart on the CPUs?"""

    name: str
    connections: int | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    swapped: bool = False
    pinned: bool = True

    def applied(self, experiment: Experiment) -> Experiment:
        """The experiment under this condition."""

        def change(variant: Variant) -> Variant:
            env = {**variant.env, **self.env}
            return replace(variant, env=env, needs=(*variant.needs, *self.needs))

        return replace(experiment, variants=tuple(map(change, experiment.variants)))

    def options(self, options: Options) -> Options:
        return replace(
            options, connections=self.connections or options.connections, pin=self.pinned
        )


def conditions(kind: Kind, pair: tuple[Variant, Variant], swappable: bool) -> list[Condition]:
    """All that can be asked of a pair here, the telling ones first. swappable: may either of the
    two be what the other is compared with?"""
    found = [Condition(USUAL)]
    if isinstance(kind, Http):
        usual = kind.connections
        found += [
            Condition(f"{count} connections", connections=count)
            for count in CONNECTIONS
            if count != usual
        ]
    if swappable:
        found.append(Condition("the other one as baseline", swapped=True))
    found += versions(pair)
    found += [Condition(name, env=env) for name, env in settings(pair).items()]
    if isinstance(kind, Http):
        found.append(Condition("on any CPU", pinned=False))
    return found


def settings(pair: tuple[Variant, Variant]) -> dict[str, dict[str, str]]:
    """What both programs can be told by their environment; not where one is told otherwise."""
    found = dict(OF_ALL)
    if all(map(runners.runs_node, pair)):
        found |= OF_NODE
    if all(runtimes.is_dotnet(each) for each in pair):
        found |= OF_DOTNET
    told = {name for each in pair for name in each.env}
    return {name: env for name, env in found.items() if not told & set(env)}


def versions(pair: tuple[Variant, Variant]) -> Iterator[Condition]:
    """The other versions of the runtime that are here already, where both programs run in it."""
    if any(need.startswith(("node:", "dotnet:")) for each in pair for need in each.needs):
        return
    if all(map(runners.runs_node, pair)):
        for version in NODE_VERSIONS:
            if node_versions.find(version):
                name = f"Node.js {node_versions.whole_number(version)}"
                yield Condition(name, needs=(f"node:{version}",))
    if all(map(runtimes.is_dotnet, pair)):
        installed = list(dotnet_versions.installed().items())
        for version, whole in installed[:-1]:  # the newest is the usual one
            yield Condition(f".NET {whole}", needs=(f"dotnet:{version}",))
