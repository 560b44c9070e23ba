"""Interrupting C# cells: the cell ends, everything else stays."""

import time

import pytest
from csharp_bench import STARTED
from recorders import TIMEOUT_SECONDS


@pytest.fixture
def csharp(own_csharp):
    """A session of its own: on a busy machine one that can't be stopped in time is ended."""
    return own_csharp


@pytest.mark.parametrize(
    "code",
    [
        "while (true) { }",
        "for (long i = 0; ; i++) kept++;",
        "Thread.Sleep(Timeout.Infinite);",
        "await Task.Delay(-1);",
        "Task.Delay(-1).Wait();",
        "while (true) Console.WriteLine(1);",
        "await Task.Delay(-1, Interrupted);",
        "while (true) { try { Thread.Sleep(1); } catch { } }",
        "while (true) { foreach (var x in Enumerable.Range(0, 100).Where(i => i > 3)) { } }",
        "while (true) { try { kept++; } finally { kept--; } }",
        "while (true) System.Text.Json.JsonSerializer.Serialize(new[] { 1, 2 });",
        "for (long i = 0; i < long.MaxValue; i++) kept++;",
        "await Task.Delay(1); while (true) { }",
        "await Task.Run(() => { while (true) Math.Abs(-1); });",
    ],
)
def test_an_interrupt_ends_the_cell_and_keeps_the_state(csharp, code):
    csharp.run("long kept = 40;")
    future = csharp.submit(f'Console.WriteLine("{STARTED}");\n{code}')
    csharp.output.wait_for(STARTED)
    time.sleep(0.2)
    csharp.session.interrupt()
    assert future.result(TIMEOUT_SECONDS).status == "interrupted"
    csharp.run("kept = 41;")
    assert csharp.value("kept + 1") == "42"


def test_many_interrupts_of_one_session_keep_its_state(csharp):
    csharp.run("long kept = 41;")
    for code in ("while (true) { }", "while (true) Console.WriteLine(1);", "for (;;) kept = 41;"):
        for _ in range(3):
            csharp.output.events.clear()
            future = csharp.submit(f'Console.WriteLine("{STARTED}");\n{code}')
            csharp.output.wait_for(STARTED)
            csharp.session.interrupt()
            assert future.result(TIMEOUT_SECONDS).status == "interrupted", code
    assert csharp.value("kept + 1") == "42"


def test_loops_that_an_earlier_cell_started_go_on_when_another_is_interrupted(csharp):
    csharp.run(
        "var going = true; long turns = 0;"
        " var all = Task.Run(() => { while (going) { turns++; Thread.Sleep(1); } });"
    )
    future = csharp.submit(f'Console.WriteLine("{STARTED}");\nwhile (true) Thread.Sleep(1);')
    csharp.output.wait_for(STARTED)
    csharp.session.interrupt()
    assert future.result(TIMEOUT_SECONDS).status == "interrupted"
    csharp.run("var before = turns; Thread.Sleep(100);")
    assert csharp.value("going = false;\nturns > before") == "True"


def test_a_cell_that_watches_for_interrupts_ends_in_its_own_way(csharp):
    watches = "while (!Interrupted.IsCancellationRequested) Thread.Sleep(10);"
    future = csharp.submit(f'Console.WriteLine("{STARTED}");\n{watches}\n"done"')
    csharp.output.wait_for(STARTED)
    csharp.session.interrupt()
    assert future.result(TIMEOUT_SECONDS).data["text/plain"] == "done"


def test_what_computes_on_after_an_await_ends_the_host_with_a_message(own_csharp):
    future = own_csharp.submit(
        f'await Task.Delay(1); Console.WriteLine("{STARTED}"); again: goto again;'
    )
    own_csharp.output.wait_for(STARTED)
    own_csharp.session.interrupt()
    result = future.result(TIMEOUT_SECONDS)
    assert result.status == "ended"
    assert "could not be stopped" in result.evalue and "variables are lost" in result.evalue
    assert own_csharp.value("1 + 1") == "2"


def test_cells_that_wait_behind_an_interrupted_one_still_run(csharp):
    first = csharp.submit(f'Console.WriteLine("{STARTED}"); while (true) {{ }}')
    csharp.output.wait_for(STARTED)
    second = csharp.submit("6 * 7")
    csharp.session.interrupt()
    assert first.result(TIMEOUT_SECONDS).status == "interrupted"
    assert second.result(TIMEOUT_SECONDS).data["text/plain"] == "42"


def test_a_late_answer_to_an_interrupted_question_is_nobodys(csharp):
    future, interrupted = csharp.submit("Console.ReadLine()"), csharp.output
    assert interrupted.asked.wait(TIMEOUT_SECONDS)
    csharp.session.interrupt()
    assert future.result(TIMEOUT_SECONDS).status == "interrupted"
    again = csharp.submit("Console.ReadLine()")
    assert csharp.output.asked.wait(TIMEOUT_SECONDS)
    interrupted.give("late")
    csharp.output.answers = ["now"]
    assert again.result(TIMEOUT_SECONDS).data["text/plain"] == "now"
