"""`python -m benchbook` is the command line; `bench` starts it so."""

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


open_closed_streams()
if __name__ == "__main__":
    main(prog_name="bench")
