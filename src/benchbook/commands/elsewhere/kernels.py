"""`./bench kernels` is a command of the kernels."""

from benchbook_kernels.commands.kernels import command

__all__ = ["command"]
