"""What a notebook of ours says in another kernel: which one it needs, and how to choose it.

Each notebook's first code cell is one string in double quotes, which Python, C# and JavaScript read
alike: whatever kernel runs it shows it as the cell's value. Only the kernel that it names keeps
silent (kernel.py).
"""

from copy import copy
from dataclasses import replace

from benchbook.model.executed import Executed
from benchbook.setup import kernelspecs

TAG = "wrong-kernel"


def cell(language: str) -> str:
    """The code of the cell in a notebook whose plain cells are in this language."""
    kernel = kernelspecs.display_name(language)
    return (
        f"{_beginning(language)} In VS Code: click the name of the kernel at the top right → "
        f"Select Another Kernel... → Jupyter Kernel... → {kernel}. In JupyterLab: Kernel → Change "
        f"Kernel... → {kernel}. If it is not listed: run ./bench setup (on Windows bench.cmd "
        'setup) in the folder of Benchbook, and open the notebook again."'
    )


def is_for(code: str, language: str) -> bool:
    """Is this the cell of a notebook for this language, of whatever release?"""
    code = code.strip()
    return code.startswith(_beginning(language)) and code.endswith('"') and "\n" not in code


def for_page(executed: Executed) -> Executed:
    """The notebook without the cell: whoever reads a page chooses no kernel."""
    notebook = copy(executed.notebook)
    notebook.cells = [c for c in notebook.cells if TAG not in c.metadata.get("tags", [])]
    return replace(executed, notebook=notebook)


def _beginning(language: str) -> str:
    return f'"This notebook needs the kernel {kernelspecs.display_name(language)}.'
