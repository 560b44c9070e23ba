"""The checks of notebook 13's exercises (see src/benchbook/notebook/exercises.py)."""

from collections.abc import Iterator

from benchbook.notebook.exercises import View

HANDLER_US = 1000.0


def exercise_1(view: View) -> Iterator[str]:
    code = view.edited("hono-node")
    if "@hono/node-server" in code:
        yield "hono-node still imports @hono/node-server: write what it does yourself."
    if code.count("app.fetch") < 3:
        yield "On Node.js nobody calls app.fetch, which has the application's answer."
    found = view.answer("hono-node", "/")
    if (found.status, found.body) != (200, b'{"hello":"world"}'):
        told = found.body[:60].decode("utf-8", "replace")
        yield (
            f"/ is answered with status {found.status} and {told!r}: the Response has both, and "
            "its text() or arrayBuffer() is a promise, which has to be awaited."
        )
    if found.headers.get("content-type") != "application/json":
        kind = found.headers.get("content-type", "none")
        yield f"The content-type is {kind}: the Response of app.fetch has another."
    unknown = view.answer("hono-node", "/nothing").status
    if unknown != 404:
        yield f"/nothing is answered with status {unknown}: the Response has a status, too."
    view.raced("hono-node")


def exercise_2(view: View) -> Iterator[str]:
    saved, share = view.value("savedMicroseconds"), view.value("savedShare")
    run = view.raced("hono-node")
    costs: dict[str, list[float]] = {}
    for sample in run.samples:
        if sample.variant.startswith("hono-"):
            costs.setdefault(sample.variant, []).append(sample.cpu_microseconds)
    node, others = costs.pop("hono-node"), costs
    if not others:
        yield "The last race had no other Hono: run it with hono-deno or hono-bun."
        return
    if not all(isinstance(each, (int, float)) for each in (saved, share)):
        yield "savedMicroseconds and savedShare should be numbers."
        return
    least = min(node) - max(min(others.values(), key=middle))
    most = max(node) - min(min(others.values(), key=middle))
    if not least <= saved <= most:
        yield (
            "savedMicroseconds is not what hono-node takes more than the cheapest other Hono, in µs"
            " of CPU time a request (cpu_us in run)."
        )
    if abs(share - saved / (middle(node) + HANDLER_US)) > 0.1 * abs(share):
        yield (
            "savedShare is not savedMicroseconds as a share of hono-node's request with a "
            "millisecond more (mind the unit: 1 ms is 1,000 µs)."
        )


def middle(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]
