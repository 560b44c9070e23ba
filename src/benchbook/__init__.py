"""Benchbook: a claim goes in, an honest verdict comes out.

What Python programs may rely on is in __all__, and told in docs/python-api.md; all else is
internal.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchbook._api import Results, Run, judge, load_run, race

__all__ = ["Results", "Run", "judge", "load_run", "race"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """A name of __all__, imported when it is first asked for: `import benchbook` takes no time."""
    if name not in __all__:
        raise AttributeError(f"module 'benchbook' has no attribute '{name}'")
    from benchbook import _api

    return globals().setdefault(
        name, getattr(_api, name)
    )  # race is there by now: it is a layer, too
