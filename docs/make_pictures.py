"""Makes the pictures in docs/images from a recorded run: `python docs/make_pictures.py RUN.json`.

Without an argument it takes data/runs/04-setheader-vs-writehead.json. Needs Chromium
(`./bench setup --with-browser`).
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from benchbook import cards, experiments, figures, judge, results  # noqa: E402

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A verdict</title>
<style>body {{ font: 16px/1.5 system-ui, 'DejaVu Sans', sans-serif; margin: 24px; width: 900px }}
details {{ display: none }}</style><body>{body}</body></html>"""


def main(path: Path) -> None:
    """Draw the ratios and the verdicts of a run, and take a picture."""
    run = results.load(path)
    experiment = experiments.find(run.experiment["name"])
    found = judge.judge(run, experiment.claim)
    body = figures.ratios(run, found, experiment.claim).html() + cards.verdicts(found).html
    script = ROOT / "tests" / "browser" / "open-page.mjs"
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "verdict.html"
        page.write_text(PAGE.format(body=body), encoding="utf-8")
        picture = ROOT / "docs" / "images" / "verdict.png"
        options = ["--width", "950", "--screenshot", str(picture)]
        subprocess.run(["node", script, page, *options], check=True, stdout=subprocess.DEVNULL)
    print(picture)


if __name__ == "__main__":
    recorded = ROOT / "data" / "runs" / "04-setheader-vs-writehead.json"
    main(Path(sys.argv[1]) if sys.argv[1:] else recorded)
