"""The texts of a figure in the colour of the page that shows it, light or dark.

A figure can't know the theme of JupyterLab, VS Code or a page, and no one grey is legible on white
and on black. But plotly.js takes the style of a <span> over as it is, so `currentColor`, which it
knows not as a font's colour, makes a text look like those around the figure.
"""

from typing import Any

OPENED, CLOSED = "<span style='color:currentColor'>", "</span>"


def themed(plotly: dict[str, Any]) -> dict[str, Any]:
    """The plotly JSON {data, layout} with each text of title, axes, notes, legend and points so."""
    layout = dict(plotly["layout"])
    layout["title"] = with_text(layout["title"])
    for name in ("xaxis", "yaxis"):
        if name in layout:
            layout[name] = axis(layout[name])
    if "annotations" in layout:
        layout["annotations"] = [with_text(each) for each in layout["annotations"]]
    if "sliders" in layout:
        layout["sliders"] = [slider(each) for each in layout["sliders"]]
    named = layout.get("showlegend", len(plotly["data"]) > 1)  # as plotly.js
    return {**plotly, "layout": layout, "data": [trace(each, named) for each in plotly["data"]]}


def text(markup: str) -> str:
    return f"{OPENED}{markup}{CLOSED}"


def with_text(part: dict[str, Any]) -> dict[str, Any]:
    return {**part, "text": text(part["text"])} if part.get("text") else part


def slider(given: dict[str, Any]) -> dict[str, Any]:
    """A slider: the titles and notes that its steps set (figures/explored.py)."""
    return {**given, "steps": [{**s, "args": step_args(*s["args"])} for s in given["steps"]]}


def step_args(data: dict[str, Any], layout: dict[str, Any]) -> list[dict[str, Any]]:
    notes = [with_text(each) for each in layout["annotations"]]
    return [data, {**layout, "title.text": text(layout["title.text"]), "annotations": notes}]


def axis(given: dict[str, Any]) -> dict[str, Any]:
    """An axis: its title, and its labels, which plotly.js or we ourselves chose."""
    found = {**given, "title": with_text(given["title"])}
    if "ticktext" in given:
        return {**found, "ticktext": [text(label) for label in given["ticktext"]]}
    return {**found, "tickprefix": OPENED, "ticksuffix": given.get("ticksuffix", "") + CLOSED}


def trace(given: dict[str, Any], in_legend: bool) -> dict[str, Any]:
    """A series: its name where a legend shows it, and what stands beside its points."""
    found = dict(given)
    if in_legend and given.get("name") and given.get("showlegend", True):
        found["name"] = text(given["name"])
    if "text" in given.get("mode", ""):
        found["text"] = [text(each) for each in given["text"]]
    return found
