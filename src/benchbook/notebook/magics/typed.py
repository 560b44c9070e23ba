"""IPython's decorators for magics, with types; and our errors as a message without a traceback."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from IPython.core import magic, magic_arguments
from IPython.core.error import UsageError

from benchbook.system.errors import BenchError

if TYPE_CHECKING:

    class Magics:
        """What we use of IPython's class, which has no types."""

        shell: Any

        def __init__(self, shell: Any) -> None:
            ...

else:
    from IPython.core.magic import Magics

__all__ = ["Magics", "UsageError"]

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., Any])


def magics_class(cls: C) -> C:
    """As IPython's."""
    return cast(C, magic.magics_class(cls))


def line_magic(method: Callable[P, R]) -> Callable[P, R]:
    """As IPython's; a BenchError is shown in a line, without a traceback."""
    return cast(Callable[P, R], magic.line_magic(plainly(method)))


def cell_magic(method: Callable[P, R]) -> Callable[P, R]:
    """As IPython's; a BenchError is shown in a line, without a traceback."""
    return cast(Callable[P, R], magic.cell_magic(plainly(method)))


def argument(*names: str, **options: Any) -> Callable[[F], F]:
    """An option of a magic, as argparse's add_argument has it; below `arguments`."""
    return cast(Callable[[F], F], magic_arguments.argument(*names, **options))


def arguments(method: F) -> F:
    """Marks a magic whose options stand below; `parsed` reads them."""
    return cast(F, magic_arguments.magic_arguments()(method))


def parsed(method: Callable[..., Any], line: str) -> dict[str, Any]:
    """The options of a magic's line by name. Raises UsageError for others."""
    options: dict[str, Any] = vars(magic_arguments.parse_argstring(method, line))
    return options


def plainly(method: Callable[P, R]) -> Callable[P, R]:
    """The method, with a BenchError turned into what IPython shows in a line."""

    @wraps(method)
    def wrapped(*positional: P.args, **named: P.kwargs) -> R:
        try:
            return method(*positional, **named)
        except BenchError as error:
            raise UsageError(str(error)) from None

    return wrapped
