"""`%%node`, `%%csharp` and so on as magics, for their `?` help and for use inside other magics.

At the head of a cell the kernel takes these lines itself (see cells.py) before IPython sees them.
"""

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from benchbook_kernels.install.languages import Language, declared
from benchbook_kernels.notebook.offers import Asked, offers
from benchbook_kernels.notebook.open_sessions import OWN_ENGINE
from benchbook_kernels.notebook.sessions import jupyter
from benchbook_kernels.notebook.sessions.session import Result
from benchbook_kernels.notebook.typed import (
    Magics,
    UsageError,
    cell_magic,
    line_magic,
    magics_class,
    plainly,
)


class Kernel(Protocol):
    """What these magics need of the kernel."""

    def run_in_session(self, name: str, code: str) -> Result:
        """Run code of a language as a cell. Raises SessionError."""

    def choose_engine(self, language: str, kernel: str) -> None:
        """Run a language's cells in an installed Jupyter kernel. Raises SessionError."""


@magics_class
class LanguageMagics(Magics):
    """Cells in another language than the notebook's."""

    def __init__(self, shell: Any, kernel: Kernel):
        super().__init__(shell)
        self.kernel = kernel
        for language in declared().values():
            magic = self._cells_of(language)
            shell.register_magic_function(magic, magic_kind="cell", magic_name=language.name)

    def _cells_of(self, language: Language) -> Callable[[str, str], None]:
        """The magic that runs a cell in this language, with its help."""

        def run_cell(line: str, cell: str) -> None:
            result = self.kernel.run_in_session(language.name, code_of(line, cell))
            if result.status != "ok":
                raise UsageError("\n".join(result.traceback))

        run_cell.__doc__ = language.about
        return plainly(run_cell)

    @line_magic
    @offers(lambda asked: engines(asked))
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
        self.kernel.choose_engine(*words)

    @cell_magic
    def python(self, line: str, cell: str) -> None:
        """Run this cell in the Python of this kernel, where IPython.display and plotly work."""
        self.shell.run_cell(code_of(line, cell)).raise_error()


def engines(asked: Asked) -> Iterable[str]:
    """What may stand after %engine: a language, then our own engine or a kernel of that language
    that Jupyter knows."""
    if not asked.words:
        return declared()
    if len(asked.words) > 1 or asked.words[0] not in declared():
        return ()
    return [OWN_ENGINE, *jupyter.kernels_of(declared()[asked.words[0]])]


def code_of(line: str, cell: str) -> str:
    """The code of a cell, some of which may stand on the line of its magic."""
    return "\n".join(filter(None, [line, cell]))
