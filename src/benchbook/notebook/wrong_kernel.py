"""What a notebook of ours says in another kernel: which one it needs, and how to choose it.

Each notebook's first code cell is two strings in double quotes, added up in brackets, which Python,
C# and JavaScript read alike: whatever kernel runs it shows it as the cell's value. Only the kernel
that it names keeps silent (benchbook_kernels.notebook.wrong_kernel). Front ends show it folded,
slides and pages leave it out.
"""

from copy import copy
from dataclasses import replace
from typing import Any

from benchbook.show.executed import Executed
from benchbook_kernels.notebook.wrong_kernel import beginning

TAG = "wrong-kernel"
IN_ANY_KERNEL = ("11-your-own-claim",)  # notebooks without a plain cell
ANY_KERNEL = ("node", "csharp")
# `transient` is how nbconvert knows what to leave out of a page
METADATA: dict[str, Any] = {
    "jupyter": {"source_hidden": True},
    "tags": [TAG],
    "transient": {"remove_source": True},
}


def of_notebook(name: str, language: str) -> str:
    """The code of the cell in the notebook of this name, whose kernel is that of a language."""
    return cell(*ANY_KERNEL) if name in IN_ANY_KERNEL else cell(language)


def cell(*languages: str) -> str:
    """The code of the cell in a notebook whose plain cells are in this language, or one of them."""
    return f"""(
  "{beginning(*languages)} Choose it at the top right (in VS Code:" +
  " Select Another Kernel..., then Jupyter Kernel...); if it is not listed, run ./bench setup" +
  " (on Windows bench.cmd setup) in the folder of Benchbook and open the notebook again."
)"""


def for_page(executed: Executed) -> Executed:
    """The notebook without the cell: whoever reads a page chooses no kernel."""
    notebook = copy(executed.notebook)
    notebook.cells = [c for c in notebook.cells if TAG not in c.metadata.get("tags", [])]
    return replace(executed, notebook=notebook)
