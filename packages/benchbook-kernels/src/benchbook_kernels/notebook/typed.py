"""IPython's decorators for magics, with types; and our errors as a message without a traceback."""

import inspect
import re
import shlex
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

import click
from IPython.core import magic
from IPython.core.error import UsageError

from benchbook_kernels.base import nearest
from benchbook_kernels.base.errors import BenchError, InputError

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


def options_of(*options: click.Parameter) -> Callable[[F], F]:
    """The options that a magic takes, and its arguments; `parsed` reads them, and its help lists
    them."""

    def declare(method: F) -> F:
        command = click.Command(
            f"%{method.__name__}",
            context_settings={"allow_extra_args": True},
            params=list(options),
            help=inspect.cleandoc(method.__doc__ or ""),
            add_help_option=False,
        )
        method.command = command  # type: ignore[attr-defined]
        method.__doc__ = command.get_help(click.Context(command, info_name=command.name))
        return method

    return declare


def parsed(method: Callable[..., Any], line: str) -> dict[str, Any]:
    """The options of a magic's line by name. Raises InputError, which names what is no option."""
    command: click.Command = method.command  # type: ignore[attr-defined]
    magic_name = str(command.name)
    try:
        context = command.make_context(magic_name, shlex.split(listed(line)))
    except click.NoSuchOption as error:
        known = [flag for option in command.params for flag in option.opts]
        problem = nearest.unknown("option", error.option_name, known)
        raise InputError(magic_name, "", problem) from None
    except click.UsageError as error:
        told = error.format_message().rstrip(".")
        problem = told[:1].lower() + told[1:]
        raise InputError(magic_name, "", problem, f"{magic_name}? shows its options") from None
    except ValueError as error:  # a quote that is not closed
        raise InputError(magic_name, "", f"can't read '{line}': {error}") from None
    if context.args:
        problem = f"takes only options, but is given '{context.args[0]}'"
        raise InputError(magic_name, "", problem)
    return dict(context.params)


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
