"""IPython's shell with two things said better: a magic that is not there, and an interrupt."""

from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError

from benchbook_kernels.base.nearest import nearest

if TYPE_CHECKING:

    class ZMQInteractiveShell:
        """What we use of ipykernel's class, which has no types."""

        magics_manager: Any

        def run_line_magic(self, magic_name: str, line: str, _stack_depth: int = 1) -> Any:
            ...

        def run_cell_magic(self, magic_name: str, line: str, cell: str) -> Any:
            ...

        def showtraceback(self, *arguments: Any, **named: Any) -> None:
            ...

        def _get_exc_info(self, exc_tuple: Any) -> tuple[type[BaseException], Any, Any]:
            ...

        def _showtraceback(self, *arguments: Any) -> None:
            ...

else:
    from ipykernel.zmqshell import ZMQInteractiveShell

INTERRUPTED = "the cell was interrupted; variables, and results of other cells, are kept"
SIGNS = {"line": "%", "cell": "%%"}


class Shell(ZMQInteractiveShell):
    """The shell of our kernels."""

    def run_line_magic(self, magic_name: str, line: str, _stack_depth: int = 1) -> Any:
        self.need(magic_name, "line")
        return super().run_line_magic(magic_name, line, _stack_depth + 1)

    def run_cell_magic(self, magic_name: str, line: str, cell: str) -> Any:
        self.need(magic_name, "cell")
        return super().run_cell_magic(magic_name, line, cell)

    def need(self, name: str, kind: str) -> None:
        """Raises UsageError with the nearest name where no magic is called so, of either kind."""
        magics = self.magics_manager.magics
        if any(name in some for some in (*magics.values(), self.magics_manager.lazy_magics)):
            return
        kinds = [kind, *(each for each in SIGNS if each != kind)]
        known = {each: SIGNS[k] + each for k in reversed(kinds) for each in magics[k]}
        own = {each for some in magics.values() for each in some if is_ours(some[each])}
        meant = nearest(name, sorted(known, key=lambda each: each not in own))
        hint = f"did you mean '{known[meant]}'?" if meant else "%lsmagic lists all"
        raise UsageError(f"no magic '{SIGNS[kind]}{name}'; {hint}")

    def showtraceback(self, *arguments: Any, **named: Any) -> None:
        exc_tuple = arguments[0] if arguments else named.get("exc_tuple")
        try:
            kind, value, _ = self._get_exc_info(exc_tuple)
        except ValueError:  # there is none
            kind, value = Exception, None
        if issubclass(kind, KeyboardInterrupt):
            self._showtraceback(
                kind, value, [f"Interrupted: {value if str(value) else INTERRUPTED}"]
            )
        else:
            super().showtraceback(*arguments, **named)


def is_ours(magic: Any) -> bool:
    """Is it a magic of Benchbook?"""
    return str(getattr(magic, "__module__", "")).startswith(("benchbook.", "benchbook_kernels."))
