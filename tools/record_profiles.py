"""Records what the `%why`, `%profile` and `%cost` cells of notebooks show, into data/profiles.

    python tools/record_profiles.py [04 …] [--missing]

With nothing else running; a minute for each cell, of a `%profile` of several for each program.
Without a number: of all notebooks.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / path) for path in ("src", "packages/benchbook-kernels/src")]

from benchbook.commands.measure.terminal import Terminal  # noqa: E402
from benchbook.model import experiments  # noqa: E402
from benchbook.model.profiles import recorded  # noqa: E402
from benchbook.profiling import service  # noqa: E402
from benchbook.profiling.options import why_options  # noqa: E402
from benchbook.show.why import cost_cards, layer_cards  # noqa: E402
from benchbook.show.why.shown import ShownProfile  # noqa: E402

CELL = re.compile(r"^%(experiment|why|profile|cost) +([^#\n]+)", re.M)
OPTION = re.compile(r"--(\w+) ([\d.]+)")


@dataclass(frozen=True)
class Told:
    """What a cell shows. what: recorded.WHY, COST or LAYERS; given: its options, by name."""

    experiment: str
    names: tuple[str, ...]
    what: str
    given: Mapping[str, float]

    @property
    def path(self) -> Path:
        name = experiments.find(self.experiment).name
        return recorded.path_of(name, self.names, self.what)


def told(notebook: Path) -> Iterator[Told]:
    """What a notebook's cells show, by the experiment that is chosen at that point."""
    experiment = ""
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        for magic, words in CELL.findall("".join(cell["source"])):
            names = tuple(w for w in OPTION.sub("", words).split() if w != "--recorded")
            if magic == "experiment":
                experiment = names[0]
            else:
                given = {name: float(number) for name, number in OPTION.findall(words)}
                several = recorded.LAYERS if len(names) > 1 else recorded.WHY
                what = {"cost": recorded.COST, "profile": several}.get(magic, recorded.WHY)
                yield Told(experiment, names, what, given)


def record(each: Told) -> None:
    """Measure, keep, and print what it says."""
    experiment, options = experiments.find(each.experiment), why_options(each.given)
    if each.what == recorded.COST:
        costing = service.counted_here(experiment, each.names, options, Terminal())
        print(cost_cards.summary(costing).text)
        print(f"kept: {recorded.write(costing)}")
    elif each.what == recorded.LAYERS:
        layers = service.layered_here(experiment, each.names, options, Terminal())
        print(layer_cards.answer(layers).text)
        if layers.missing:
            sys.exit("not kept: record it where all can be profiled")
        print(f"kept: {recorded.write(layers)}")
    else:
        found = service.profiled_here(experiment, each.names, options, Terminal())
        shown = ShownProfile(found)
        print(f"{shown.answer.text}\n\n{shown.details.text}")
        print(f"kept: {recorded.write(found)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("numbers", nargs="*", help="of notebooks")
    parser.add_argument("--missing", action="store_true", help="only what is not there")
    asked = parser.parse_args()
    for notebook in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb")):
        if asked.numbers and notebook.name[:2] not in asked.numbers:
            continue
        for each in told(notebook):
            if not (asked.missing and each.path.is_file()):
                print(f"\n── {notebook.stem}: {' '.join(each.names)}", flush=True)
                record(each)


if __name__ == "__main__":
    main()
