"""A notebook that was executed: its outputs, how long it took, what failed."""

from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode


@dataclass
class Executed:
    """A notebook with its outputs; `error` says what failed and in which cell, '' where nothing."""

    path: Path
    notebook: NotebookNode
    error: str = ""
    seconds: float = 0.0
    done: int = 0

    @property
    def name(self) -> str:
        return self.path.stem
