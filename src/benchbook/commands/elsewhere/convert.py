"""`./bench convert` is a command of the kernels."""

from benchbook_kernels.commands.convert import command

__all__ = ["command"]
