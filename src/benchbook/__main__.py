"""`python -m benchbook` is the command line; `bench` starts it so."""

from benchbook.commands.cli import main

if __name__ == "__main__":
    main(prog_name="bench")
