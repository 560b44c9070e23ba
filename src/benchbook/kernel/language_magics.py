"""%%node, %%csharp and %%python as magics, for their `?` help and for use inside other magics.

At the head of a cell the kernel takes these lines itself (see cells.py) before IPython sees them.
"""

from typing import TYPE_CHECKING

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class

from benchbook.kernel.sessions import SessionError

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from benchbook.kernel.kernel import BenchbookKernel


@magics_class
class LanguageMagics(Magics):
    """Cells in another language than the notebook's."""

    def __init__(self, shell: "InteractiveShell", kernel: "BenchbookKernel"):
        super().__init__(shell)
        self.kernel = kernel

    @cell_magic
    def node(self, line: str, cell: str) -> None:
        """Run this cell in the notebook's Node.js session.

        Variables persist from cell to cell and may be declared again; await, import and require
        work at the top level; the last expression's value is shown; display(value) and
        display.html('…') show more.
        """
        self._run("node", line, cell)

    @cell_magic
    def csharp(self, line: str, cell: str) -> None:
        """Run this cell in the notebook's C# session.

        Variables, methods, types and usings persist from cell to cell and may be declared again;
        await works at the top level; the last expression's value is shown; display(value),
        HTML("…") and #r "nuget: Package, 1.2.3" do as in .NET Interactive; a cell may even declare
        a namespace.
        """
        self._run("csharp", line, cell)

    @line_magic
    def engine(self, line: str) -> None:
        """Run a language's cells in an installed Jupyter kernel instead of Benchbook's session.

        Usage: %engine csharp .net-csharp    (.NET Interactive)
               %engine node jslab            (tslab)
               %engine csharp benchbook      (back to Benchbook's own)

        The cells and their outputs stay the same; the variables of the session before are lost.
        """
        words = line.split()
        if len(words) != 2:
            raise UsageError("write %engine LANGUAGE KERNEL, as in %engine csharp .net-csharp")
        try:
            self.kernel.choose_engine(*words)
        except SessionError as error:
            raise UsageError(str(error)) from error

    @cell_magic
    def python(self, line: str, cell: str) -> None:
        """Run this cell in the Python of this kernel, where IPython.display and plotly work."""
        self.shell.run_cell("\n".join(filter(None, [line, cell]))).raise_error()

    def _run(self, language: str, line: str, cell: str) -> None:
        try:
            result = self.kernel.run_in_session(language, "\n".join(filter(None, [line, cell])))
        except SessionError as error:
            raise UsageError(str(error)) from error
        if result.status != "ok":
            raise UsageError("\n".join(result.traceback))
