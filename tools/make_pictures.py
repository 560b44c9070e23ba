"""Makes the pictures in docs/images: `python tools/make_pictures.py [NAME …] [RUN.json]`.

verdict: the plot and the verdicts of a recorded run, where none is given
data/runs/04-setheader-vs-writehead.json; page: experiment 07's page after a click on its button;
notebook: notebook 04, run in JupyterLab, or in Notebook where that is what is installed;
scoreboard: that of a site made from the recorded runs. Without a name: all. Needs Chromium
(`./bench setup --with-browser`).
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import jinja2

ROOT = Path(__file__).resolve().parents[1]
PATHS = ("src", "packages/benchbook-kernels/src", "tests", "tests/browser")
sys.path[:0] = [str(ROOT / path) for path in PATHS]

from front_ends import installed, running  # noqa: E402

from benchbook.analysis.judging import judge  # noqa: E402
from benchbook.model import experiments, results  # noqa: E402
from benchbook.model.picker import reference_runs  # noqa: E402
from benchbook.show import embed  # noqa: E402
from benchbook.show.cards import race_cards  # noqa: E402
from benchbook.show.figures.ratios import ratios_figure  # noqa: E402

PAGE = jinja2.Template(
    """<!doctype html><html lang="en"><meta charset="utf-8"><title>A verdict</title>
<style>body { font: 16px/1.5 system-ui, 'DejaVu Sans', sans-serif; margin: 24px; width: 900px }
details { display: none }</style><body>
{% for part in parts %}{{ part | safe }}{% endfor %}
</body></html>""",
    autoescape=True,
)

BROWSER = ROOT / "tests" / "browser"
IMAGES = ROOT / "docs" / "images"
RECORDED = ROOT / "data" / "runs" / "04-setheader-vs-writehead.json"


def verdict(path: Path) -> None:
    """Draw the ratios and the verdicts of a run, and take a picture."""
    run = results.load(path)
    experiment = experiments.find(run.experiment.name)
    found = judge.judge(run, experiment.claim)
    plot = ratios_figure(run, found, experiment.claim).html()
    parts = [embed.page_script(), plot, race_cards.verdicts(found).html]
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "verdict.html"
        page.write_text(PAGE.render(parts=parts), encoding="utf-8")
        take("open-page.mjs", [page], "verdict.png", "--width", "950")


def page() -> None:
    """Serve experiment 07's page, press its button, and take a picture."""
    bench = subprocess.Popen([ROOT / "bench", "page", "07"], stdout=subprocess.PIPE, text=True)
    try:
        url = bench.stdout.readline().split()[0]
        take("measure-page.mjs", [url], "page.png", "--rows", "5")
    finally:
        bench.send_signal(signal.SIGINT)
        bench.wait()


def notebook() -> None:
    """Run notebook 04 as a reader does, with its whole quick race, and take a picture of that."""
    with tempfile.TemporaryDirectory() as folder:
        front_end = installed()[0]
        with running(front_end, Path(folder), race="") as server:
            what = [server.url, server.token, "notebooks/04-setheader-vs-writehead.ipynb"]
            options = ["--front-end", front_end, "--seconds", "600", "--width", "1250"]
            take("notebook.mjs", what, "notebook.png", *options, "--at", "%race")


def scoreboard() -> None:
    """Make a site from what is recorded, as if it were one's own, and take a picture of it."""
    with tempfile.TemporaryDirectory() as folder:
        site, checkout = Path(folder) / "site", Path(folder) / "checkout"
        checkout.mkdir()
        for name in ("data", "notebooks", "snippets", "node_modules"):
            (checkout / name).symlink_to(ROOT / name)
        for name, run in reference_runs().items():
            own = checkout / ".benchbook" / "runs" / name
            own.mkdir(parents=True)
            shutil.copy(run.path, own)
        environment = {**os.environ, "BENCHBOOK_ROOT": str(checkout)}
        command = [ROOT / "bench", "report", "--out", site, "--executed", folder]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        options = ["--width", "1300", "--most", "1100"]
        take("open-page.mjs", [site / "scoreboard.html"], "scoreboard.png", *options)


def take(script: str, what: Sequence[str | Path], name: str, *options: str) -> None:
    picture = IMAGES / name
    command = ["node", BROWSER / script, *what, "--screenshot", picture, *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    print(picture)


if __name__ == "__main__":
    pictures = {"page": page, "notebook": notebook, "scoreboard": scoreboard}
    words = sys.argv[1:]
    names = [word for word in words if word in ("verdict", *pictures)] or ["verdict", *pictures]
    runs = [Path(word) for word in words if word not in names]
    if "verdict" in names:
        verdict(runs[0] if runs else RECORDED)
    for name in names:
        if name != "verdict":
            pictures[name]()
