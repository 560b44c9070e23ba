"""%scoreboard and %room in a kernel: tables and plots, and errors in a line."""

import pytest

from benchbook.show import embed


@pytest.fixture
def folder(make_run, tmp_path):
    """Three attendees' run files, and one that is none."""
    for i in range(3):
        run = make_run({"a": 1000.0, "b": 1100.0}, seed=i)
        run.path = tmp_path / "files" / f"attendee-{i}.json"
        run.save()
    (tmp_path / "files" / "wrong.json").write_text("{")
    return tmp_path / "files"


@pytest.mark.slow("judges every recorded run in a kernel")
def test_the_scoreboard_is_a_table_and_a_plot(kernel):
    (table,) = kernel.run("%scoreboard").of("execute_result")
    assert 'class="benchbook-board"' in table["data"]["text/html"]
    assert "Fastify" in table["data"]["text/plain"]
    (plot,) = kernel.run("%scoreboard plot").of("execute_result")
    assert plot["data"][embed.PLOTLY]["data"]
    assert "did you mean 'plot'?" in kernel.run("%scoreboard plo").reply["evalue"]


def test_a_room_is_a_plot_a_table_and_what_was_skipped(kernel, folder):
    plot, table, *_, skipped = kernel.run(f"%room '{folder}'").of("display_data")
    assert plot["data"][embed.PLOTLY]["data"]
    assert "made: 3 machines" in table["data"]["text/plain"]
    assert "wrong.json" in skipped["data"]["text/plain"]
    assert "does not exist" in kernel.run("%room nowhere").reply["evalue"]


@pytest.mark.slow("judges every recorded run in a kernel")
def test_a_room_without_a_folder_has_the_reference_runs(kernel):
    text = [shown["data"]["text/plain"] for shown in kernel.run("%room").of("display_data")]
    assert any("setHeader vs writeHead" in part for part in text)
