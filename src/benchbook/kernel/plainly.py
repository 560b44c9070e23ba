"""What all magics of experiments share: our errors as a message without a traceback."""

from collections.abc import Callable
from functools import wraps

from IPython.core.error import UsageError

from benchbook.errors import BenchError


def plainly(method: Callable) -> Callable:
    """The method, with a BenchError turned into what IPython shows in a line."""

    @wraps(method)
    def wrapped(*arguments, **named):
        try:
            return method(*arguments, **named)
        except BenchError as error:
            raise UsageError(str(error)) from None

    return wrapped
