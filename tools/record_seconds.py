"""Records how long notebooks take, for the time left that `./bench run` shows.

Run `./bench run --out DIR` with nothing else running (and with --minutes 60, if that is not too
long), then `python tools/record_seconds.py DIR`. It writes data/notebook-seconds.json; notebooks
that are not in DIR keep what was recorded of them.
"""

import argparse
import json
import sys
from datetime import datetime
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / path) for path in ("src", "packages/benchbook-kernels/src")]

from benchbook.notebook.headless import pace  # noqa: E402
from benchbook.notebook.headless.execute import to_run  # noqa: E402
from benchbook.notebook.headless.pace import Pace  # noqa: E402
from benchbook_kernels.base.files import write_atomically  # noqa: E402


def seconds(cell) -> float:
    """How long a cell ran, by the times that the kernel recorded."""
    timing = cell.metadata["execution"]
    began, ended = (
        datetime.fromisoformat(timing[name].replace("Z", "+00:00"))
        for name in ("iopub.execute_input", "shell.execute_reply")
    )
    return (ended - began).total_seconds()


def whole(cell, then: Pace) -> float:
    """Seconds that a cell takes when races are not shortened."""
    raced = "%race" in cell.source and "--as-published" not in cell.source
    return then.unshortened(seconds(cell)) if raced else seconds(cell)


def main(folder: Path) -> None:
    found = pace.recorded()
    for path in sorted(folder.glob("*.ipynb")):
        notebook = nbformat.read(path, 4)
        code = [cell for _, cell in to_run(notebook)]
        if notebook.metadata["benchbook"]["error"]:
            print(f"left out: {path.name} failed")
        else:
            then = Pace((), notebook.metadata["benchbook"]["share"])
            found[path.stem] = {cell.id: round(whole(cell, then), 1) for cell in code}
    found = {name: found[name] for name in sorted(found)}
    lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(found[name])}" for name in found)
    write_atomically(pace.recorded_path(), f'{{\n  "quick": {{\n{lines}\n  }}\n}}\n')
    total = sum(sum(cells.values()) for cells in found.values())
    print(f"{total / 60:.1f} min in {len(found)} notebooks")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", metavar="DIR", type=Path)
    main(parser.parse_args().folder)
