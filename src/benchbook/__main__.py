"""`python -m benchbook` is the command line."""

from benchbook.cli import main

main()
