"""What a notebook of ours says in another kernel: which one it needs, and how to choose it.

Each notebook's first code cell is two strings in double quotes, added up in brackets, which Python,
C# and JavaScript read alike: whatever kernel runs it shows it as the cell's value. Only the kernel
that it names keeps silent (kernel.py). Front ends show it folded, slides and pages leave it out.
"""

import re
from copy import copy
from dataclasses import replace
from typing import Any

from benchbook.show.executed import Executed
from benchbook_kernels.install import kernelspecs

TAG = "wrong-kernel"
STRING = re.compile(r'"([^"\n]*)"')
STRINGS = re.compile(rf"\(?\s*{STRING.pattern}(?:\s*\+\s*{STRING.pattern})*\s*\)?")
# `transient` is how nbconvert knows what to leave out of a page
METADATA: dict[str, Any] = {
    "jupyter": {"source_hidden": True},
    "tags": [TAG],
    "transient": {"remove_source": True},
}


def cell(language: str) -> str:
    """The code of the cell in a notebook whose plain cells are in this language."""
    return f"""(
  "{_beginning(language)} Choose it at the top right (in VS Code:" +
  " Select Another Kernel..., then Jupyter Kernel...); if it is not listed, run ./bench setup" +
  " (on Windows bench.cmd setup) in the folder of Benchbook and open the notebook again."
)"""


def is_for(code: str, language: str) -> bool:
    """Is this the cell of a notebook for this language, of whatever release?"""
    code = code.strip()
    said = "".join(STRING.findall(code))
    return bool(STRINGS.fullmatch(code)) and said.startswith(_beginning(language))


def for_page(executed: Executed) -> Executed:
    """The notebook without the cell: whoever reads a page chooses no kernel."""
    notebook = copy(executed.notebook)
    notebook.cells = [c for c in notebook.cells if TAG not in c.metadata.get("tags", [])]
    return replace(executed, notebook=notebook)


def _beginning(language: str) -> str:
    return f"This notebook needs the kernel {kernelspecs.display_name(language)}."
