"""What runners of programs that run as they are written have in common."""

from collections.abc import Callable, Sequence
from functools import cache

from benchbook.model.variants import Variant
from benchbook.system import versions


class Ready:
    """What runs as it is written."""

    def failure(self, variant: Variant) -> str:
        return ""

    def build(self, variant: Variant, say: Callable[[str], None]) -> None:
        pass

    def build_together(self, variants: Sequence[Variant], say: Callable[[str], None]) -> None:
        pass


def settings(variant: Variant) -> str:
    """The environment variables of a variant, as a shell takes them before a command."""
    return " ".join(["PORT=8080", *(f"{name}={value}" for name, value in variant.env.items())])


@cache
def version(tool: str, command: str) -> str:
    """What a command says of its version; tool: its name in versions.TOOLS."""
    return versions.probed_version(command, versions.TOOLS[tool]) or "unknown"
