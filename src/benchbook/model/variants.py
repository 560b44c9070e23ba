"""What an experiment consists of: its variants, and how long it is raced."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchbook.system import paths
from benchbook_kernels.base.errors import InputError


@dataclass(frozen=True)
class Variant:
    """One program that does the job one way.

    `headers` are the response headers that differ from the baseline's on purpose: their value, a
    list of values (one a system, as for HttpListener's `server`), or False for one that is absent.
    `edited` says that the file is a reader's scratch copy.
    `backend` is the program that the variant (a proxy) passes requests on to; `publish`: a .NET
    program that is published, not just built; `aot`: one that is meant to run with the switches of
    native AOT (docs/csharp-cells.md). `env`: environment variables that make variants of
    one file. `answers_like`: the variant whose answer it must equal, '' for the baseline's; its own
    name where others are compared with it; `alike`: how far, '' for as its kind says. `paths`: how
    many paths it is asked, at random (it finds the number in the environment variable PATHS); None:
    the one path only.
    `benchmark`: of a micro experiment, as "Class.Method" or as its module knows it.
    `series` and `case` place it in a plot of growth: its line, and where on the x axis ("N=10",
    "100 paths"); in a micro experiment the case is the one that the benchmark is run in.
    `properties`: of the build of a .NET program ("Name=value"), beside those that its needs make.
    `words`: its command line, where it is no file that a runner knows; `folder`: where it runs,
    None for that of its file; `parameters`: the values of a sweep that it was made with, by name.
    `number`: which of the commands that were typed it is made of, from 0.
    `executable`: the system runs its file, whatever the ending.
    `address`: of a server that runs already, by a number, perhaps with a path of its own; `pid`:
    its process, 0 where it is not known.
    """

    name: str
    title: str
    path: Path
    needs: tuple[str, ...] = ()
    headers: Mapping[str, str | bool | list[str]] = field(default_factory=dict)
    ready_seconds: float = 10.0
    backend: Path | None = None
    publish: bool = False
    aot: bool = False
    env: Mapping[str, str] = field(default_factory=dict)
    answers_like: str = ""
    alike: str = ""
    paths: int | None = None
    benchmark: str = ""
    series: str = ""
    case: str = ""
    edited: bool = False
    words: tuple[str, ...] = ()
    folder: Path | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    properties: tuple[str, ...] = ()
    number: int = 0
    executable: bool = False
    address: str = ""
    pid: int = 0

    @property
    def runs_in(self) -> Path:
        """The folder in which it runs."""
        return self.folder or self.path.parent

    @property
    def code(self) -> str:
        """Raises InputError where it is no UTF-8 text."""
        try:
            return self.path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            problem = f"is not UTF-8 (byte {error.start})"
            raise InputError(paths.relative(self.path), "", problem, "save it as UTF-8") from None


@dataclass(frozen=True)
class Mode:
    """How long to race: `quick` for a workshop, `full` for an answer. All in seconds.

    variants: those that race where the caller names none; all where it is empty. more: those that
    --more adds to them.
    """

    budget_seconds: float
    sample_seconds: float
    warmup_seconds: float = 0.2
    launches: int | None = None
    blocks: int | None = None
    variants: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
