"""What an environment's Jupyter server saves of our figures: not the PNG of plotly's extension.

JupyterLab's extension for plotly photographs every plot that it draws and puts that into the
notebook, 50 to 140 KB each, though ours have a picture; an executed 04 would have 600 KB. So the
server loads this module, as an extension, which leaves them out of the file. It needs Python's
standard library alone, because the server would have to wait for more.
https://jupyter-server.readthedocs.io/en/latest/developers/savehooks.html
"""

import sys
from pathlib import Path
from typing import Any

OURS = "benchbook"  # by this key in an output's metadata a figure of ours is known
FILE = "etc/jupyter/jupyter_server_config.d/benchbook.json"  # below an environment's prefix
SOURCE = Path(__file__).with_suffix(".json")  # a wheel brings it, too


def install(prefix: str | Path = sys.prefix) -> None:
    """Name this module to the server of an environment. Raises OSError where that can't be."""
    path = Path(prefix) / FILE
    # here: a server that runs in an older set-up of a checkout loads this file without the kernels
    from benchbook_kernels.base.files import write_atomically

    write_atomically(path, SOURCE.read_text(encoding="utf-8"))


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": __name__}]


def _load_jupyter_server_extension(server: Any) -> None:
    server.contents_manager.register_pre_save_hook(without_photographs)


def without_photographs(model: dict[str, Any], **_: object) -> None:
    """Take the PNGs of our figures out of a notebook that is about to be saved."""
    if model["type"] != "notebook":
        return
    for cell in model["content"].get("cells", ()):
        for output in cell.get("outputs", ()):
            if OURS in output.get("metadata", {}):
                output["data"].pop("image/png", None)


if __name__ == "__main__":
    install()
