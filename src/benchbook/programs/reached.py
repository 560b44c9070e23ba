"""Servers that run already, by their address: they are neither started, nor moved, nor ended."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from benchbook.model.variants import Variant
from benchbook.programs import programs
from benchbook.programs.programs import Program, VariantError
from benchbook_kernels.base import processes
from benchbook_kernels.base.processes import Keeper


@dataclass
class ReachedProgram(Program):
    """A server that somebody else has started; members: its processes, where its id was told."""

    @property
    def alive(self) -> bool:
        return not self.variant.pid or psutil.pid_exists(self.variant.pid)


def reach(variant: Variant, keeper: Keeper) -> Program:
    """The server at a variant's address. Raises VariantError where nobody answers there."""
    parts = urlsplit(variant.address)
    program = ReachedProgram(
        variant,
        parts.port or 80,
        [],
        tempfile.TemporaryFile(),
        Path(tempfile.mkdtemp(dir=keeper.folder)),
        address=parts.hostname or "",
    )
    if variant.pid and program.alive:
        program.members = tuple(processes.family(variant.pid))
    path = path_of(variant, "/")
    if program.alive and programs.answers(program.port, path, program.address):
        return program
    program.end(keeper)
    remedy = f"try by hand: curl -i {variant.address}"
    raise VariantError(variant, f"does not answer at {variant.address}", remedy)


def path_of(variant: Variant, usual: str) -> str:
    """What a server is asked: the path in its address, the usual one where that has none."""
    parts = urlsplit(variant.address)
    return (parts.path + (f"?{parts.query}" if parts.query else "")) if parts.path else usual
