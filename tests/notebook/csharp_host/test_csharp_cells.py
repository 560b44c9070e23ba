"""Cells as public C# notebooks have them run unchanged and show what they should."""

from collections.abc import Iterator

import pytest
from csharp_case import Case
from csharp_language_cells import CASES as LANGUAGE
from csharp_library_cells import CASES as LIBRARIES
from recorders import Bench

from benchbook_kernels.notebook.sessions.csharp import CSharpSession

pytestmark = pytest.mark.slow("starts a C# session")
CASES = [*LANGUAGE, *LIBRARIES]


@pytest.fixture(scope="module")
def session(tmp_path_factory) -> Iterator[Bench]:
    """One session for all: that cells leave each other alone is part of what is tested."""
    session = CSharpSession(str(tmp_path_factory.mktemp("cells")))
    session.start()
    yield Bench(session)
    session.close()


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_cell(session: Bench, case: Case):
    assert session.run("Formatter.ResetToDefault();").status == "ok"
    result = None
    for cell in case.cells:
        result = session.run(cell)
        assert result.status == "ok", "\n".join(result.traceback)
    bundles = [event[1] for event in session.output.displays]
    bundles += [result.data] if result.data else []
    if case.value is not None:
        assert result.data is not None, "the cell shows no value"
        assert result.data["text/plain"] == case.value
    elif not case.html:
        assert result.data is None
    assert session.output.text() == case.out
    html, at = "".join(bundle.get("text/html", "") for bundle in bundles), 0
    for wanted in case.html:
        at = html.find(wanted, at)
        assert at >= 0, f"{wanted!r} is not in {html}"
        at += len(wanted)
