"""What ends the C# session is told, and the next cell starts a new one."""

import tempfile
from pathlib import Path


def test_exit_in_a_cell_is_told_and_the_next_cell_starts_anew(own_csharp):
    own_csharp.run("var lost = 1;")
    result = own_csharp.run('Console.WriteLine("last words"); Environment.Exit(3);')
    assert result.status == "ended" and "exit code 3" in result.evalue
    assert "last words" in own_csharp.output.text()
    assert own_csharp.value("1 + 1") == "2"
    assert own_csharp.error("lost").ename == "CompilationError"


def test_a_stack_overflow_is_told_and_the_next_cell_starts_anew(own_csharp):
    result = own_csharp.run("int Deep(int n) => Deep(n + 1) + 1;\nDeep(0)")
    assert result.status == "ended" and "stack overflow" in result.evalue
    assert own_csharp.value("1 + 1") == "2"


def test_an_unhandled_exception_of_a_thread_is_told(own_csharp):
    result = own_csharp.run(
        'new Thread(() => throw new Exception("in a thread")).Start(); Thread.Sleep(5000);'
    )
    assert result.status == "ended"
    assert "in a thread" in own_csharp.output.text("stderr")
    assert own_csharp.value("1 + 1") == "2"


def test_it_leaves_no_temporary_files_and_those_of_cells_are_where_they_were_put(own_csharp):
    code = 'var f = Path.Combine(Path.GetTempPath(), "of-a-cell"); File.WriteAllText(f, ""); f'
    mine = Path(own_csharp.value(code).strip('"'))
    pid = own_csharp.session.pid
    own_csharp.session.close()
    temporary = Path(tempfile.gettempdir())
    assert mine.is_file() and mine.parent == temporary
    mine.unlink()
    assert not list(temporary.glob(f"*-{pid}-*"))
