"""Where a cell's output goes: to the front ends, under the cell that it belongs to."""

import sys
from typing import Any

from IPython.core.error import StdinNotImplementedError


class KernelOutput:
    """Publishes a cell's output under that cell, also after it has ended.

    kernel: an IPythonKernel.
    """

    def __init__(self, kernel: Any):
        self._kernel = kernel
        self._parent = kernel.get_parent()

    def send(self, kind: str, content: dict[str, Any]) -> None:
        """Publish one message of this kind."""
        kernel = self._kernel
        kernel.session.send(
            kernel.iopub_socket, kind, content, parent=self._parent, ident=kernel._topic(kind)
        )

    def stream(self, name: str, text: str) -> None:
        self.send("stream", {"name": name, "text": text})

    def display(
        self, data: dict[str, Any], metadata: dict[str, Any], display_id: str | None, update: bool
    ) -> None:
        transient = {"display_id": display_id} if display_id else {}
        self.send(
            "update_display_data" if update else "display_data",
            {"data": data, "metadata": metadata, "transient": transient},
        )

    def show(self, data: dict[str, Any]) -> None:
        """Display a MIME bundle that nobody will update."""
        self.display(data, {}, None, False)

    def input(self, prompt: str, password: bool) -> str | None:
        ask = self._kernel.getpass if password else self._kernel.raw_input
        return str(ask(prompt))

    def answer(self, prompt: str, password: bool) -> str | None:
        """As input, but None where nobody can be asked."""
        try:
            return self.input(prompt, password)
        except StdinNotImplementedError:
            return None


class Silence(KernelOutput):
    """Publishes nothing: for silent requests."""

    def input(self, prompt: str, password: bool) -> str | None:
        return None

    def send(self, kind: str, content: dict[str, Any]) -> None:
        pass


def flush_python() -> None:
    """Let what Python printed come before what a session will."""
    sys.stdout.flush()
    sys.stderr.flush()
