"""One HTML page of executed notebooks and the scoreboard, which opens from disk with no network.

Everything is in the file: styles, highlighted code, plotly.js once. A content security policy
forbids every request, so that no output of a cell can break that promise.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import escape
from nbformat import NotebookNode
from pygments.formatters import HtmlFormatter
from traitlets.config.loader import Config

from benchbook import loadtools
from benchbook.setup import jupyter_server
from benchbook.show import embed, markup
from benchbook.show.executed import Executed
from benchbook.show.markup import TEMPLATES, Output
from benchbook_kernels.install.languages import declared

if TYPE_CHECKING:
    from nbconvert import HTMLExporter

# what Pygments calls the language below a `%%` line
HIGHLIGHTERS = {name: language.highlighter for name, language in declared().items()}
HIGHLIGHTERS |= {"python": "ipython3", "bash": "bash"}
LIGHT_STYLE, DARK_STYLE = "default", "github-dark"  # pygments'


@dataclass(frozen=True)
class Score:
    """What a page says about one experiment: its run's verdicts, or why there are none."""

    title: str
    output: Output


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


def render_room(
    title: str, date: str, sections: Sequence[tuple[str, Sequence[str]]], every: int = 0
) -> str:
    """The page of a room. sections: (experiment, HTML of its parts); every: in so many seconds it
    loads itself again, and then it has no script; 0: it is as it is, and draws with plotly.js."""
    script = "" if every else embed.page_script()
    values = {"title": title, "date": date, "sections": sections, "every": every}
    return fill("room.html.j2", plotly=script, **values)


def render_site(up: str = "", **values: Any) -> str:
    """A page of the site that site.py writes. up: the way from it to the site's first page."""
    plotly = f'<script src="{up}assets/plotly.js"></script>'
    return fill("site.html.j2", up=up, plotly=plotly, own_files=True, **values)


def fill(template: str, **values: Any) -> str:
    """A page's template, filled in. plotly: the markup that brings plotly.js, '' for none."""
    return markup.fill(template, style=style(), **values)


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
                with_figure(output)
    body_html, _ = exporter().from_notebook_node(
        notebook, {"metadata": {"path": str(executed.path.parent), "name": executed.name}}
    )
    return str(body_html)


def with_figure(output: NotebookNode) -> None:
    """Let a plotly figure be drawn by the page; ours have their numbers below them.

    Of an output that is both JavaScript and HTML the HTML is kept: the exporter would show neither.
    """
    data = output.data
    if figure := data.get(embed.PLOTLY):
        if jupyter_server.OURS in output.metadata:
            label = str(output.metadata[jupyter_server.OURS]["label"])
            numbers = joined(data["text/plain"]).removeprefix(label).strip("\n")
            data["text/html"] = embed.to_html(figure, label, f"<pre>{escape(numbers)}</pre>")
        else:
            data["text/html"] = embed.to_html(plain(figure))
    if "text/html" in data:
        data.pop("application/javascript", None)


def joined(text: Any) -> str:
    """The text of an output, which a notebook may have as a list of lines."""
    return text if isinstance(text, str) else "".join(text)


def plain(figure: Any) -> dict[str, Any]:
    """A foreign plotly figure with what our drawing script needs."""
    layout = dict(figure.get("layout", {}))
    layout.setdefault("height", 450)
    return {"data": figure["data"], "layout": layout, "config": figure.get("config", {})}


def exporter() -> "HTMLExporter":
    from nbconvert import HTMLExporter  # 0.2 s, which a kernel, that imports this file, saves

    config = Config()  # type: ignore[no-untyped-call]  # traitlets has no types for it
    config.CSSHTMLHeaderPreprocessor.enabled = False  # the page has its own styles, once
    config.HighlightMagicsPreprocessor.enabled = True
    config.HighlightMagicsPreprocessor.languages = HIGHLIGHTERS
    return HTMLExporter(
        config=config,
        extra_template_basedirs=[str(TEMPLATES)],
        template_name="benchbook",
        exclude_anchor_links=True,
        embed_images=True,
    )


def machine_lines(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    """A machine manifest in a few lines, for people."""
    cpu, versions = manifest["cpu"], manifest["versions"]
    clock = cpu["max_mhz"] or cpu["current_mhz"]
    cores = f"{cpu['usable_cores']} of {cpu['logical_cores']} logical cores"
    guest = manifest["container"] or ("virtual machine" if manifest["virtual_machine"] else "")
    memory = manifest["memory"]["total_mib"]
    system = manifest["os"]
    tools = [
        f"{name} {versions[name]}" for name in ("node", *loadtools.declared()) if versions.get(name)
    ]
    if versions.get("dotnet-sdk"):
        tools.append(f".NET SDK {versions['dotnet-sdk']}")
    lines = [
        ("CPU", ", ".join([cpu["model"], cores, *([f"{clock / 1000:.1f} GHz"] if clock else [])])),
        ("Memory", f"{memory / 1024:.0f} GiB" if memory else ""),
        ("System", ", ".join(filter(None, [system["distribution"], system["kernel"], guest]))),
        ("Software", ", ".join([*tools, f"Python {versions['python']}"])),
    ]
    return [(name, value) for name, value in lines if value]
