"""What a picture of make_diagrams.py is drawn with: boxes, words and arrows, as SVG.

Shapes are translucent and words have the colour of the page (`currentColor`), so that a picture is
readable on any background. No element has an id, because several pictures may stand in one page.
What a picture says in words, its twin, stands beside it in the same file (`<desc>`).
"""

from html import escape

WIDTH = 700
BLUE, ORANGE, GREEN, PINK = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
INK = "currentColor"
PAGE = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-size="13" \
font-family="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif">
<title>{title}</title>
<desc>{twin}</desc>
<style>
svg {{ color: #1f2328; background: #ffffff }}
@media (prefers-color-scheme: dark) {{ svg {{ color: #e6edf3; background: #111317 }} }}
</style>
{parts}
</svg>
"""


class Drawing:
    """The parts of a picture of 700 px width; places are in px, from the upper left corner."""

    def __init__(self, height: int, title: str, twin: str):
        self.height, self.title, self.twin = height, title, twin
        self.parts: list[str] = []

    def box(self, x: float, y: float, w: float, h: float, fill: str = INK, **more: object) -> None:
        """A rectangle. strong: how opaque; said: words in its middle; line: its edge's width."""
        strong, said, line = more.get("strong", 0.2), more.get("said", ""), more.get("line", 1)
        dashes = ' stroke-dasharray="4 3"' if more.get("dashed") else ""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{more.get("rx", 3)}" '
            f'fill="{fill}" fill-opacity="{strong}" stroke="{fill}" stroke-width="{line}"{dashes}/>'
        )
        lines = str(said).split("\n") if said else []
        for i, each in enumerate(lines):
            at = y + h / 2 + 4.5 + 16 * (i - (len(lines) - 1) / 2)
            self.text(x + w / 2, at, each, "middle", size=int(str(more.get("size", 13))))

    def text(
        self, x: float, y: float, said: str, anchor: str = "start", *, size: int = 13, bold: int = 0
    ) -> None:
        weight = ' font-weight="600"' if bold else ""
        mono = ""
        if said.startswith("`"):
            said, mono = said.strip("`"), ' font-family="ui-monospace, monospace"'
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" fill="{INK}"'
            f"{weight}{mono}>{escape(said)}</text>"
        )

    def line(self, *points: tuple[float, float], colour: str = INK, **more: object) -> None:
        """A line through points. arrow: with a head at its end."""
        way = " ".join(f"{'L' if i else 'M'}{x:g} {y:g}" for i, (x, y) in enumerate(points))
        dashes = ' stroke-dasharray="4 3"' if more.get("dashed") else ""
        self.parts.append(
            f'<path d="{way}" fill="none" stroke="{colour}" '
            f'stroke-width="{more.get("width", 1.5)}"{dashes}/>'
        )
        if more.get("arrow"):
            (x0, y0), (x, y) = points[-2:]
            length = ((x - x0) ** 2 + (y - y0) ** 2) ** 0.5
            dx, dy = (x - x0) / length, (y - y0) / length
            left = (x - 8 * dx - 4 * dy, y - 8 * dy + 4 * dx)
            right = (x - 8 * dx + 4 * dy, y - 8 * dy - 4 * dx)
            head = f"M{x:g} {y:g}L{left[0]:.1f} {left[1]:.1f}L{right[0]:.1f} {right[1]:.1f}Z"
            self.parts.append(f'<path d="{head}" fill="{colour}"/>')

    def svg(self) -> str:
        return PAGE.format(
            width=WIDTH,
            height=self.height,
            title=escape(self.title),
            twin=escape(self.twin),
            parts="\n".join(self.parts),
        )
