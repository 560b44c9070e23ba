"""One HTML page of executed notebooks and the scoreboard, which opens from disk with no network.

Everything is in the file: styles, highlighted code, plotly.js once. A content security policy
forbids every request, so that no output of a cell can break that promise.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jinja2
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from pygments.formatters import HtmlFormatter
from traitlets.config import Config

from benchbook import cards, embed, paths
from benchbook.execute import Executed

TEMPLATES = paths.PACKAGE / "templates"
LANGUAGES = {"node": "javascript", "csharp": "csharp", "python": "ipython3", "bash": "bash"}
LIGHT_STYLE, DARK_STYLE = "default", "github-dark"  # pygments'


@dataclass(frozen=True)
class Score:
    """What a page says about one experiment: its run's verdicts, or why there are none."""

    title: str
    output: cards.Output


def render(
    title: str,
    date: str,
    machine: Sequence[tuple[str, str]],
    scores: Sequence[Score],
    notebooks: Sequence[Executed],
) -> str:
    """The whole page. `machine`: what it is, as (name, value)."""
    return fill(
        "page.html.j2",
        title=title,
        date=date,
        machine=machine,
        scores=scores,
        notebooks=[(executed, body(executed)) for executed in notebooks],
        plotly=embed.page_script(),
    )


def render_room(title: str, date: str, sections: Sequence[tuple[str, Sequence[str]]]) -> str:
    """The page of a room. sections: (experiment, HTML of its parts)."""
    script = embed.page_script()
    return fill("room.html.j2", title=title, date=date, sections=sections, plotly=script)


def render_site(up: str = "", **values: Any) -> str:
    """A page of the site that site.py writes. up: the way from it to the site's first page."""
    plotly = f'<script src="{up}assets/plotly.js"></script>'
    return fill("site.html.j2", up=up, plotly=plotly, own_files=True, **values)


def fill(template: str, **values: Any) -> str:
    """A template of ours, filled in. plotly: the markup that brings plotly.js, '' for none."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True
    )
    return environment.get_template(template).render(style=style(), **values)


def style() -> str:
    light, dark = (
        HtmlFormatter(style=name).get_style_defs(".highlight") for name in (LIGHT_STYLE, DARK_STYLE)
    )
    return f"{embed.asset('page.css')}\n{light}\n@media (prefers-color-scheme: dark) {{{dark}}}"


def body(executed: Executed) -> str:
    """A notebook's cells and outputs as HTML, without what surrounds a page."""
    notebook = copy.deepcopy(executed.notebook)
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if "data" in output:
                slim(output.data)
    markup, _ = exporter().from_notebook_node(
        notebook, {"metadata": {"path": str(executed.path.parent), "name": executed.name}}
    )
    return markup


def slim(data: NotebookNode) -> None:
    """A figure without its copy of plotly.js; any other plotly figure as one of ours.

    Of an output that is JavaScript, too, its HTML is kept: the exporter would show neither.
    """
    markup = joined(data.get("text/html", ""))
    if markup:
        data.pop("application/javascript", None)
    if embed.LIBRARY_START in markup:
        data["text/html"] = embed.without_library(markup)
    elif figure := data.get(embed.PLOTLY):
        data["text/html"] = embed.to_html("A figure", plain(figure), "", library=False)


def joined(text: Any) -> str:
    return text if isinstance(text, str) else "".join(text)


def plain(figure: Any) -> dict[str, Any]:
    """A foreign plotly figure with what our drawing script needs."""
    layout = dict(figure.get("layout", {}))
    layout.setdefault("height", 450)
    return {"data": figure["data"], "layout": layout, "config": figure.get("config", {})}


def exporter() -> HTMLExporter:
    config = Config()
    config.CSSHTMLHeaderPreprocessor.enabled = False  # the page has its own styles, once
    config.HighlightMagicsPreprocessor.enabled = True
    config.HighlightMagicsPreprocessor.languages = LANGUAGES
    return HTMLExporter(
        config=config,
        extra_template_basedirs=[str(TEMPLATES)],
        template_name="benchbook",
        exclude_anchor_links=True,
        embed_images=True,
    )
