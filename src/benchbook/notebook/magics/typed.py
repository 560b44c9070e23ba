"""IPython's decorators for magics, with types; and our errors as a message without a traceback."""

import re
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from IPython.core import magic, magic_arguments
from IPython.core.error import UsageError
from IPython.utils.process import arg_split

from benchbook.setup import nearest
from benchbook.system.errors import BenchError, InputError

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


def helped(text: Callable[[], str]) -> Callable[[F], F]:
    """Says what `%magic?` shows, where that is known only when it is asked."""

    def declare(method: F) -> F:
        method.getdoc = text  # type: ignore[attr-defined]
        return method

    return declare


def argument(*names: str, **options: Any) -> Callable[[F], F]:
    """An option of a magic, as argparse's add_argument has it; below `arguments`."""
    return cast(Callable[[F], F], magic_arguments.argument(*names, **options))


def arguments(method: F) -> F:
    """Marks a magic whose options stand below; `parsed` reads them."""
    return cast(F, magic_arguments.magic_arguments()(method))


def parsed(method: Callable[..., Any], line: str) -> dict[str, Any]:
    """The options of a magic's line by name. Raises InputError, which names what is no option."""
    parser: Any = method.parser  # type: ignore[attr-defined]
    magic_name = f"%{parser.prog.lstrip('%')}"
    try:
        options, others = parser.parse_known_args(arg_split(listed(line)))
    except UsageError as error:
        raise InputError(magic_name, "", str(error), f"{magic_name}? shows its options") from None
    except ValueError as error:  # a quote that is not closed
        raise InputError(magic_name, "", f"can't read '{line}': {error}") from None
    if not others:
        return dict(vars(options))
    word = next((each for each in others if each.startswith("-")), others[0]).partition("=")[0]
    if not word.startswith("-"):
        raise InputError(magic_name, "", f"takes only options, but is given '{word}'")
    known = [flag for flag in parser._option_string_actions if flag.startswith("--")]
    raise InputError(magic_name, "", nearest.unknown("option", word, known))


def listed(line: str) -> str:
    """A line with its lists as one word each: `a, b` is a,b."""
    return re.sub(r",[ \t]+", ",", line)


class Interrupted(KeyboardInterrupt):
    """An interrupt, with a sentence of what is kept (notebook/shell.py shows it)."""


def plainly(method: Callable[P, R]) -> Callable[P, R]:
    """The method, with a BenchError turned into what IPython shows in a line, and with a sentence
    for an interrupt."""

    @wraps(method)
    def wrapped(*positional: P.args, **named: P.kwargs) -> R:
        try:
            return method(*positional, **named)
        except BenchError as error:
            raise UsageError(str(error)) from None
        except Interrupted:
            raise
        except KeyboardInterrupt:
            told = f"%{method.__name__} was interrupted before its end; what was there is kept"
            raise Interrupted(told) from None

    return wrapped
