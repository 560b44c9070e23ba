"""Writes into each notebook what follows from its cells: the metadata of slides, and the first code
cell, which says what kernel it needs. Run it after you added or moved cells:

    python tools/tidy_notebooks.py
"""

import sys
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / path) for path in ("src", "packages/benchbook-kernels/src")]

from benchbook.notebook import slides, wrong_kernel  # noqa: E402
from benchbook.notebook.headless import execute  # noqa: E402
from benchbook.system import paths  # noqa: E402


def tidy(notebook: nbformat.NotebookNode, name: str) -> None:
    """The notebook with the metadata that its cells should have; their tags stay."""
    language = notebook.metadata.kernelspec.name.removeprefix("benchbook-")
    for cell, metadata in zip(notebook.cells, slides.metadata(notebook.cells), strict=True):
        cell.metadata = nbformat.from_dict(metadata)
        if wrong_kernel.TAG in metadata.get("tags", []):
            cell.source = wrong_kernel.of_notebook(name, language)


if __name__ == "__main__":
    for path in sorted(paths.notebooks().glob("*.ipynb")):
        found = execute.read(path)
        tidy(found, path.stem)
        path.write_text(str(execute.untyped.writes(found)) + "\n", encoding="utf-8")
