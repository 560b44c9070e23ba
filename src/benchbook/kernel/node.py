"""The Node.js session: node_host.mjs in a process of its own."""

import json
import os
import shutil
from pathlib import Path

from benchbook import paths
from benchbook.kernel.host import WINDOWS
from benchbook.kernel.process import ProcessSession
from benchbook.kernel.sessions import SHARED_TYPE, Language, SessionError

COLOUR_VARIABLES = ("FORCE_COLOR", "CLICOLOR_FORCE")
HOST = Path(__file__).with_name("node_host.mjs")


class NodeSession(ProcessSession):
    """A persistent Node.js process (20.12 or newer), started where it is first needed.

    Packages are found in the node_modules of `directory` and the directories above it, then in
    those of `root`, the project.
    """

    language = Language(
        "node",
        "Node.js",
        {
            "name": "javascript",
            "mimetype": "text/javascript",
            "codemirror_mode": "javascript",
            "pygments_lexer": "javascript",
            "file_extension": ".js",
            "nbconvert_exporter": "script",
        },
    )

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

    def command(self, in_fd: int, out_fd: int) -> tuple[list[str], dict[str, str]]:
        node = self.node or shutil.which("node")
        if node is None:
            raise SessionError(
                "Node.js was not found", "install Node.js 20.12 or newer, see ./bench doctor"
            )
        settings = {
            "in": in_fd,
            "out": out_fd,
            "directory": self.directory,
            "root": self.root,
            "maxOutputChars": self.max_output_chars,
            "ownGroup": not WINDOWS,
        }
        # ipykernel 7 asks its child processes for colours; a notebook's text is plain.
        environment = {k: v for k, v in os.environ.items() if k not in COLOUR_VARIABLES}
        flags = ["--no-force-async-hooks-checks", *self.node_options]
        return [node, *flags, str(HOST), json.dumps(settings)], environment

    @staticmethod
    def export_code(name: str) -> str:
        """Code whose value has a variable as JSON under SHARED_TYPE."""
        bundle = f"{{ [Symbol.for('Jupyter.display')]: () => ({{ '{SHARED_TYPE}': text }}) }}"
        return f"((text) => ({bundle}))(JSON.stringify({name}) ?? 'null')"

    @staticmethod
    def import_code(name: str, text: str) -> str:
        """Code that declares a variable with the value of a JSON text."""
        return f"var {name} = JSON.parse({json.dumps(text)})"
