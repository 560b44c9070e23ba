"""Set-up makes the environment that Benchbook runs in. It needs Python's standard library alone.

`bench` calls this file before anything is installed. Three routes lead to an environment: conda,
pip and Debian packages; the first that works is taken. Every step may be repeated: it looks at
what is there and does what is missing, and `.benchbook/ready` is written as the very last act, so
an interrupted set-up is finished by the next call.
"""
from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file, by the launcher: the package is not installed yet
    SRC = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(SRC), str(SRC.parent / "packages" / "benchbook-kernels" / "src")]

from benchbook.setup import overview  # noqa: E402
from benchbook.setup.installation import set_up  # noqa: E402
from benchbook.setup.record import is_ready, read_ready  # noqa: E402
from benchbook.setup.routes.routes import ROUTES  # noqa: E402
from benchbook.setup.steps import SetupError, SetupOptions  # noqa: E402
from benchbook_kernels.base import paths  # noqa: E402
from benchbook_kernels.base.nearest import unknown  # noqa: E402
from benchbook_kernels.base.running import become  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]


def setup_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bench setup",
        description="Make the environment that Benchbook runs in, or mend it. May be repeated.",
        epilog="Without --route the route taken before is kept; at first, the first that works of "
        "conda, pip and debian is taken. PIP_FIND_LINKS and PIP_NO_INDEX are honoured.",
    )
    routes = ("auto", *ROUTES)
    parser.add_argument(
        "--route", type=route, metavar="|".join(routes), help="how to get Python packages"
    )
    parser.add_argument("--yes", "-y", action="store_true", help="use sudo without asking")
    parser.add_argument("--with-browser", action="store_true", help="Chromium, for 07 and tests")
    parser.add_argument(
        "--with-lint", action="store_true", help="linters, for .ci/run and pre-commit"
    )
    parser.add_argument("--with-tests", action="store_true", help="what the tests need, by apt")
    parser.add_argument(
        "--git-filter",
        action=argparse.BooleanOptionalAction,
        help="whether git is to overlook what running a notebook leaves in its file",
    )
    parser.add_argument(
        "--from", dest="bundle", metavar="DIR", help="a folder that ./bench bundle made: no network"
    )
    parser.add_argument("--verbose", "-v", action="store_true", help="show what the tools print")
    parser.add_argument("--quiet", "-q", action="store_true", help="say nothing but errors")
    return parser


def route(word: str) -> str:
    """A route by name. Raises ArgumentTypeError where there is none, and says which was meant."""
    if word not in ("auto", *ROUTES):
        raise argparse.ArgumentTypeError(unknown("route", word, ("auto", *ROUTES)))
    return word


NOT_YET = "Nothing is set up here yet: the first command does that."


def options_from(arguments: Sequence[str]) -> SetupOptions:
    parsed = setup_parser().parse_args(arguments)
    return SetupOptions(
        route=parsed.route or "",
        yes=parsed.yes,
        with_browser=parsed.with_browser,
        with_lint=parsed.with_lint,
        with_tests=parsed.with_tests,
        git_filter=parsed.git_filter,
        bundle=parsed.bundle or "",
        verbose=parsed.verbose,
        quiet=parsed.quiet,
    )


def launch(root: Path, arguments: Sequence[str]) -> int:
    """What `bench` does when its quick path does not apply."""
    arguments = overview.asked(list(arguments))
    command = arguments[0] if arguments else ""
    if command == "setup":
        set_up(root, options_from(arguments[1:]))
        return 0
    if not is_ready(root):
        if overview.is_help(arguments):
            print(overview.text(NOT_YET), end="")
            return 0
        if not command.startswith("-") and command not in overview.COMMANDS:
            print(f"bench: {overview.unknown(command)}\n  → ./bench --help", file=sys.stderr)
            return 2  # before minutes of set-up, not after them
        if command == "doctor":  # a diagnosis must not install anything
            ready = read_ready(root)
            python = ready.python if ready and os.access(ready.python, os.X_OK) else sys.executable
            env = {"PYTHONPATH": paths.pythonpath()}
            become([python, "-m", "benchbook.commands.begin.doctor", *arguments[1:]], env)
        set_up(root, SetupOptions())
    ready = read_ready(root)
    if ready is None:
        raise SetupError(f"{root / '.benchbook' / 'ready'} has disappeared", "./bench setup")
    env = {"PATH": ready.path + os.pathsep + os.environ.get("PATH", "")}
    if ready.dotnet_root:
        env["DOTNET_ROOT"] = ready.dotnet_root
    become([ready.python, "-P", "-m", "benchbook", *arguments], env)


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if arguments[:1] == ["--launch"]:
        arguments = arguments[1:]
    else:
        arguments = ["setup", *arguments]

    def interrupted(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    if hasattr(signal, "SIGTERM"):
        signal.signal(signal.SIGTERM, interrupted)
    try:
        return launch(root, arguments)
    except SetupError as error:
        print(f"\nbench: set-up failed: {error}", file=sys.stderr)
        if error.remedy:
            print(f"  what to do: {error.remedy}", file=sys.stderr)
        log = root / ".benchbook" / "setup.log"
        if log.exists():
            print(f"  the whole log: {log}", file=sys.stderr)
        return 1
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        print(f"\nbench: set-up failed: {error.strerror}{where}", file=sys.stderr)
        print("  what to do: mend that, then call ./bench setup again", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nbench: interrupted; the next call finishes the set-up", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
