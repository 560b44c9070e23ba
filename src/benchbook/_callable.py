"""A layer that is also a function of the package: `benchbook.race` holds what races, and races."""

from types import ModuleType
from typing import Any


class CallableLayer(ModuleType):
    """A layer that is called as the function of the same name in benchbook._api."""

    def __call__(self, *things: Any, **options: Any) -> Any:
        from benchbook import _api  # which imports the layer

        return getattr(_api, self.__name__.rpartition(".")[2])(*things, **options)
