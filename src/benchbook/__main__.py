"""`python -m benchbook` is the command line; `bench` starts it so."""

import io
import os
import sys

from benchbook.commands.cli import main


def open_closed_streams() -> None:
    """Open what the caller has closed (`>&-`) on nothing, before another file gets its number."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, open(number, mode, encoding="utf-8"))


def replace_what_cannot_be_written() -> None:
    """Write "?" for signs that the terminal's encoding has not, rather than fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


open_closed_streams()
replace_what_cannot_be_written()
if __name__ == "__main__":
    main(prog_name="bench")
