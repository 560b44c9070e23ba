"""What is wrong with a cell's benchmarks is told before anything is built."""

import pytest

from benchbook.race.kinds.benchmarks import cell_project
from benchbook.race.kinds.functions.dotnet_project import MicroError

IN_CLASS = "public class A\n{\n%s\n}"


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("[Benchmark] public async void X() => await Task.Delay(50);", "X is async void"),
        (
            "[Benchmark(Baseline = true)]\n[Arguments(1)]\nasync public void X(int n) { }",
            "async void",
        ),
        ("[Arguments(1), Benchmark] public static async void X(int n) { }", "async void"),
        ("[Benchmark] public IAsyncEnumerable<int> X() => Y();", "await foreach"),
        ("[Benchmark]\npublic IEnumerable<int> X() { yield return 1; }", "ToArray"),
        ("[Benchmark] public Task<IEnumerable<(int, string)>> X() => Y();", "nobody enumerates"),
        ("[Benchmark] public System.Linq.IQueryable<int> X() => Y();", "nobody enumerates"),
    ],
)
def test_a_method_whose_work_would_not_be_timed_is_refused(method, words):
    with pytest.raises(MicroError) as error:
        cell_project.build_cell(IN_CLASS % method, pytest.fail)
    assert words in str(error.value) and "cell, line" in str(error.value)


@pytest.mark.parametrize(
    "method",
    [
        "[Benchmark] public async Task X() => await Task.Delay(50);",
        "[Benchmark] public List<IEnumerable<int>> X() => Y();",
        "// [Benchmark] public async void X()\n[Benchmark] public void X() { }",
        '[Benchmark] public string X() => "[Benchmark] public async void Y(";',
        "[BenchmarkCategory(1)] public async void Z() { }\n[Benchmark] public int X() => 1;",
        "[Benchmark] public void X() => Y(); async void Y() { }",
    ],
)
def test_other_methods_are_not(method):
    cell_project.check(IN_CLASS % method)


@pytest.mark.parametrize("line", ["var glued = 5;", '; #r "nuget: Other"', " /* why */ int x;"])
def test_code_beside_a_package_is_refused(line):
    with pytest.raises(MicroError, match="cell, line 2: .* would be lost"):
        cell = f'#r "nuget: Tea, 1.0.0"{line}\n' + IN_CLASS % "[Benchmark] public void X() { }"
        cell_project.build_cell(cell, pytest.fail)
    good = '#r "nuget: Tea, 1.0.0"; // why\n#r "nuget: Milk" /* why */\n'
    cell_project.check(good + IN_CLASS % "[Benchmark] public void X() { }")
