"""The Node.js session: node_host/host.mjs in a process of its own."""

import json
import os
import shutil
from pathlib import Path

from benchbook_kernels.base import paths
from benchbook_kernels.base.running import uncoloured
from benchbook_kernels.install import remedies
from benchbook_kernels.install.languages import NODE
from benchbook_kernels.notebook.sessions.host_process import WINDOWS
from benchbook_kernels.notebook.sessions.process import ProcessSession
from benchbook_kernels.notebook.sessions.session import SHARED_TYPE, SessionError

HOST = Path(__file__).with_name("node_host") / "host.mjs"


class NodeSession(ProcessSession):
    """A persistent Node.js process (20.12 or newer), started where it is first needed.

    Packages are found in the node_modules of `directory` and the directories above it, then in
    those of `root`, the project.
    """

    language = NODE

    def __init__(
        self,
        directory: str | None = None,
        *,
        root: str | None = None,
        node: str | None = None,
        node_options: tuple[str, ...] = (),
        **options: int,
    ):
        super().__init__(directory, **options)
        self.root = root or str(paths.root())
        self.node = node
        self.node_options = node_options

    def command(self, in_fd: int, out_fd: int, _folder: Path) -> tuple[list[str], dict[str, str]]:
        node = self.node or shutil.which("node")
        if node is None:
            here = f"install {NODE.needs}, see ./bench doctor"
            remedy = here if paths.checkout() else remedies.remedy("node")
            raise SessionError("Node.js was not found", remedy)
        settings = {
            "in": in_fd,
            "out": out_fd,
            "directory": self.directory,
            "root": self.root,
            "maxOutputChars": self.max_output_chars,
            "ownGroup": not WINDOWS,
        }
        flags = ["--no-force-async-hooks-checks", *self.node_options]
        return [node, *flags, str(HOST), json.dumps(settings)], uncoloured(os.environ)

    @staticmethod
    def export_code(name: str) -> str:
        bundle = f"{{ [Symbol.for('Jupyter.display')]: () => ({{ '{SHARED_TYPE}': text }}) }}"
        return f"((text) => ({bundle}))(JSON.stringify({name}) ?? 'null')"

    @staticmethod
    def printing_code(name: str) -> str:
        # tslab checks types, and knows of no process where there are no types of Node.js
        return f"void globalThis['process'].stdout.write(JSON.stringify({name}) ?? 'null')"

    @staticmethod
    def records_code(name: str, text: str) -> str:
        # a property, which a cell's own const of that name may hide
        return f"void (globalThis[{json.dumps(name)}] = JSON.parse({json.dumps(text)}))"

    @classmethod
    def foreign_records_code(cls, name: str, text: str) -> str:
        return cls.import_code(name, text)

    @staticmethod
    def import_code(name: str, text: str) -> str:
        return f"var {name} = JSON.parse({json.dumps(text)})"
