"""Benchbook: a claim goes in, an honest verdict comes out.

What Python programs may rely on is in __all__, and told in docs/python-api.md; all else is
internal.
"""

TYPE_CHECKING = False  # for those who check types; `typing` itself takes longer than all else here
if TYPE_CHECKING:
    from benchbook._api import Comparison, Results, Run, compare, judge, load_run, race

__all__ = ["Comparison", "Results", "Run", "compare", "judge", "load_run", "race"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """A name of __all__, imported when it is first asked for: `import benchbook` takes no time."""
    if name not in __all__:
        raise AttributeError(f"module 'benchbook' has no attribute '{name}'")
    from benchbook import _api

    found = getattr(_api, name)
    return globals().setdefault(name, found)  # race and compare are there by now: layers, too
