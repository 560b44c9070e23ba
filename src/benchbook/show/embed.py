"""A plotly figure as an output that every front end can show, and that needs no network.

Four representations, of which a front end takes the richest that it knows:

- plotly JSON: JupyterLab (plotly's extension) and VS Code draw it themselves;
- HTML with the drawing script and plotly.js inside, gzipped (0.5 MB): Notebook 6, nbconvert and
  static pages. Each output carries its own copy, because that of another may be cleared, or
  not saved; it is unpacked only where the page has no plotly.js yet;
- in that HTML, a table of the numbers: all that is left in viewers that remove scripts (GitHub, or
  a notebook that is not trusted);
- plain text, with the same table: terminals, screen readers, diffs.
"""

import base64
import functools
import gzip
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook.show.markup import Output, fill
from benchbook.system import paths

PLOTLY = "application/vnd.plotly.v1+json"
ASSETS = paths.PACKAGE / "show" / "assets"
TRANSPARENT = "rgba(0,0,0,0)"
LIBRARY_START, LIBRARY_END = "/*plotly.js*/'", "'/*end of plotly.js*/"


@dataclass(frozen=True)
class Figure:
    """A figure with its numbers: `plotly` is {data, layout, config}, `label` says what is seen."""

    label: str
    plotly: dict[str, Any]
    numbers: Output

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        return {
            PLOTLY: self.plotly,
            "text/html": self.html(),
            "text/plain": f"{self.label}\n\n{self.numbers.text}",
        }

    def html(self, library: bool = True) -> str:
        """The figure as HTML; without the library for a page that has it once (see page_script)."""
        return to_html(self.label, self.plotly, self.numbers.html, library)


def to_html(label: str, plotly: dict[str, Any], numbers: str, library: bool = True) -> str:
    """Any plotly JSON as HTML. `numbers`: HTML for those who don't see the plot."""
    packed = packed_library() if library else ""
    return fill(
        "figure.html.j2",
        identity=secrets.token_hex(8),
        label=label,
        plotly=plotly,
        numbers=numbers,
        transparent=plotly["layout"].get("paper_bgcolor") == TRANSPARENT,
        library=f"{LIBRARY_START}{packed}{LIBRARY_END}",
        css=asset("figure.css"),
        script=asset("figure.js"),
    )


def page_script() -> str:
    """For the head of a page: plotly.js, for all figures without their own copy."""
    return f"<script>{library_script()}</script>"


def library_script() -> str:
    """The same as the text of a script, for a file that several pages share."""
    return f"window.benchbookPlotlyPacked = '{packed_library()}';"


def without_library(markup: str) -> str:
    """The HTML of outputs with their copies of plotly.js taken out, for a page that has it once."""
    parts = markup.split(LIBRARY_START)
    rest = [part.partition(LIBRARY_END)[2] for part in parts[1:]]
    return f"{LIBRARY_START}{LIBRARY_END}".join([parts[0], *rest])


@functools.cache
def asset(name: str) -> str:
    """The text of a style sheet or script in assets/."""
    return (ASSETS / name).read_text(encoding="utf-8")


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
