"""`python -m benchbook` is the command line; `bench` starts it so.

Help is there at once: nothing that takes time to import is imported for it.
"""

import io
import os
import sys

from benchbook.setup import overview


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


def main() -> None:
    """The command line; also that of an installed wheel, whose program is `benchbook`."""
    open_closed_streams()
    replace_what_cannot_be_written()
    sys.argv[1:] = overview.asked(sys.argv[1:])
    if overview.is_help(sys.argv[1:]) and helped():
        return
    from benchbook.commands import cli

    cli.main(prog_name="bench")


def helped() -> bool:
    """Print the help; False where it can't be written, which the command line then says."""
    try:
        print(overview.text(), end="", flush=True)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main()
