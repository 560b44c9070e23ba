"""Servers, each with its own client, which measures."""

from dataclasses import dataclass

from benchbook.model.kinds.kind import Kind

LOADS = "loads/s"


@dataclass(frozen=True)
class Client(Kind):
    """Each variant is a server and its own client, which loads `path`."""

    name = "client"
    table = "client"
    unit = LOADS
    thing = "load"

    path: str

    @classmethod
    def wrote(cls, unit: str | None, tool: str) -> bool:
        return True  # that of no other kind
