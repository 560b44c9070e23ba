"""A plotly figure as an output that every front end can show, and that needs no network.

Three representations, of which a front end takes the richest that it knows:

- plotly JSON: JupyterLab (plotly's Python package brings the extension), VS Code, and Notebook 6,
  to which our kernels bring plotly.js (assets/notebook.js), draw it themselves;
- a static picture, as SVG: GitHub, nbconvert, and front ends without that extension;
- plain text, with the numbers as a table: terminals, screen readers, diffs.

None of them carries plotly.js, so a notebook stays small. The pages that we write ourselves carry
it once, draw figures with it, and have the numbers as a table below.
"""

import base64
import functools
import gzip
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from benchbook.setup.jupyter_server import OURS
from benchbook.show.markup import Output, fill, folded
from benchbook.show.pictures import picture
from benchbook.show.themed import themed
from benchbook.system import paths
from benchbook_kernels.install import kernelspecs

PLOTLY = "application/vnd.plotly.v1+json"
SVG = "image/svg+xml"
ASSETS = paths.PACKAGE / "show" / "assets"
# the buttons over a figure: none that uploads it (plotly.js has one), and none that selects
CONFIG: dict[str, Any] = {
    "displaylogo": False,
    "modeBarButtons": [["toImage"], ["zoom2d", "pan2d"], ["resetScale2d"]],
    "plotlyServerURL": "",
    "showSendToCloud": False,
}


@dataclass(frozen=True)
class Figure:
    """A figure with its numbers: `plotly` is {data, layout, config}, `label` says what is seen."""

    label: str
    plotly: dict[str, Any]
    numbers: Output

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, Any], dict[str, Any]]:
        data = {
            PLOTLY: themed(self.plotly),
            SVG: picture.svg(self.label, self.plotly),
            "text/plain": f"{self.label}\n\n{self.numbers.text}",
        }
        return data, {OURS: {"label": self.label}}

    def html(self) -> str:
        """The figure for a page that has plotly.js (see page_script); where there is none, a
        picture."""
        still = "" if packed_library() else picture.svg(self.label, self.plotly)
        return to_html(themed(self.plotly), self.label, self.numbers.html, still)

    def still_html(self, below: str = "") -> str:
        """The figure as a picture, for a page that runs no script; its numbers are folded. below:
        what is drawn, in words."""
        still = picture.svg(self.label, self.plotly)
        told = Markup("<figcaption>{}</figcaption>").format(below) if below else ""
        return f"<figure>{still}{told}</figure>{folded('The numbers', self.numbers).html}"


@dataclass(frozen=True)
class Still:
    """A figure that another will replace in the same output: as a picture alone.

    JupyterLab's extension for plotly goes on showing the first plotly figure of an output; in a
    picture's place it draws the new one.
    """

    figure: Figure

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = self.figure._repr_mimebundle_()
        return {name: shown for name, shown in data.items() if name != PLOTLY}, metadata


def to_html(
    plotly: dict[str, Any], label: str = "A figure", numbers: str = "", still: str = ""
) -> str:
    """Any plotly JSON as HTML. `numbers`: HTML for those who don't see the plot; still: a picture
    of it as SVG, for where nothing draws it."""
    return fill(
        "figure.html.j2",
        identity=secrets.token_hex(8),
        label=label,
        plotly=plotly,
        numbers=numbers,
        still=still,
        css=asset("figure.css"),
        script=asset("figure.js"),
    )


def page_script() -> str:
    """For the head of a page: plotly.js, for all of its figures."""
    return f"<script>{library_script()}</script>"


def library_script() -> str:
    """The same as the text of a script, for a file that several pages share."""
    return f"window.benchbookPlotlyPacked = '{packed_library()}';"


@functools.cache
def asset(name: str) -> str:
    """The text of a style sheet or script in assets/, ours or the kernels'."""
    own = ASSETS / name
    return (own if own.exists() else kernelspecs.ASSETS / name).read_text(encoding="utf-8")


@functools.cache
def packed_library() -> str:
    """plotly.js, gzipped, in base64; '' where there is none (figures then show their numbers)."""
    for path in library_files():
        if path.is_file():
            return base64.b64encode(gzip.compress(path.read_bytes(), mtime=0)).decode("ascii")
    return ""


def library_files() -> list[Path]:
    """Where plotly.js may be: the npm package (1.2 MB), or in Python's plotly (5 MB).

    Debian's python3-plotly comes without it.
    """
    import plotly

    roots = dict.fromkeys([paths.root(), paths.PACKAGE.parent.parent])
    small = [
        root / "node_modules" / "plotly.js-basic-dist-min" / "plotly-basic.min.js" for root in roots
    ]
    return [*small, Path(plotly.__file__).parent / "package_data" / "plotly.min.js"]
