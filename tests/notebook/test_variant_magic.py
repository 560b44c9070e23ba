"""%variant: programs as what differs, and a cell that becomes one of them."""

import os

from benchbook.model import experiments


def value(cell) -> str:
    found = [each["data"]["text/plain"] for each in cell.of("execute_result")]
    return "\n".join(found) or cell.text("stderr")


def test_programs_are_shown_edited_and_shown_as_they_were_left(open_kernel, two_servers, tmp_path):
    notebook = open_kernel(env={**os.environ, "BENCHBOOK_ROOT": str(tmp_path)})
    assert "%experiment: was not run yet" in value(notebook.run("%variant b"))
    of_ones_own(notebook)
    notebook.run(f"%experiment {two_servers} --show")
    a, b = experiments.load(two_servers).variants[:2]
    shown = value(notebook.run("%variant b"))
    assert "b (" in shown and "%variant b --edit" in shown
    assert a.code.strip() in value(notebook.run("%variant a"))

    cell = notebook.run("%variant b --edit")
    assert cell.reply["status"] == "ok"
    (payload,) = cell.reply["payload"]
    assert payload == {
        "source": "set_next_input",
        "text": f"%%variant b\n{b.code.rstrip()}",
        "replace": True,
    }
    assert "edit it, and run the cell" in value(cell)

    edited = payload["text"].replace("hello", "HELLO")
    assert "b is now your edit" in value(notebook.run(edited))
    left = value(notebook.run("%variant b"))
    assert "your edit" in left and "\n+" in left and "HELLO" in left
    (payload,) = notebook.run("%variant b --edit").reply["payload"]
    assert payload["text"] == edited, "the edit goes on from where it was left"

    for line, told in {
        "%variant": "missing argument",
        "%variant c": "no variant 'c'",
        "%variant b --to c": "no variant 'c'",
        "%variant a b --edit": "is for one program",
        "%variant b --too": "option",
    }.items():
        refused = notebook.run(line)
        assert told in value(refused) and not refused.reply.get("payload"), line


def of_ones_own(notebook):
    """Programs of a reader's own differ, too, and stand in their cells."""
    notebook.run("%%variant a\nexport default () => 1;\nexport const n = 1;")
    notebook.run("%%variant b\nexport default () => 2;\nexport const n = 1;")
    shown = value(notebook.run("%variant b"))
    assert "-export default () => 1;\n+export default () => 2;" in shown and "--edit" not in shown
    assert "stands in a cell of yours" in value(notebook.run("%variant b --edit"))
