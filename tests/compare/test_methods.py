"""C# methods of a reader's own files: which are meant, what they answer, and a race."""

import textwrap
from dataclasses import replace

import pytest

from benchbook.compare import answers, functions, methods
from benchbook.compare.question import Question
from benchbook.model import results
from benchbook.model.variants import Mode
from benchbook.race import prepare
from benchbook.race.kinds.functions.files import dotnet_build
from benchbook.race.kinds.functions.files.dotnet_build import MethodsFile
from benchbook.race.options import Options
from benchbook_kernels.base.errors import BenchError, InputError

pytestmark = pytest.mark.slow("builds .NET programs")

# Of everything that can be asked of one file, so that it is built once
LIB = """
    #:property LangVersion=preview
    using BenchmarkDotNet.Attributes;

    Console.WriteLine("a program of its own, which is not run");

    [MemoryDiagnoser, SimpleJob(warmupCount: 1)]
    public class Sums
    {
        [Params(10, 100)] public long N;
        int[] data = [];
        int calls;

        [GlobalSetup(Targets = [nameof(Linq), nameof(Loop), nameof(Later)])]
        public async Task Setup() { await Task.Yield(); data = [.. Enumerable.Range(0, (int)N)]; }

        [Benchmark] public int Linq() => data.Sum();
        [Benchmark(Baseline = true)]
        public int Loop() { var t = 0; foreach (var x in data) t += x; return t; }
        [Benchmark] public async ValueTask<int> Later() { await Task.Yield(); return data.Sum(); }
        [Benchmark] public int Another() => data.Length;
        [Benchmark] public int Count() => ++calls;
        [Benchmark] public void Nothing() => Thread.SpinWait(1);
        [Benchmark] public int Fails() =>
            throw new InvalidOperationException("it fails");
        [Benchmark] public IEnumerable<int> Lazy() => data.Where(x => x > 1);
        [Benchmark] public object Hidden() => new Secret(1);
        [Benchmark] public int Deep() => Deep() + 1;
        [Benchmark] public int Ends() { Environment.Exit(0); return 1; }
        [Benchmark] public async void Void() => await Task.Yield();
        [Benchmark] public T Generic<T>() => default!;
        public int Helper(int x) => x;

        class Secret(int x) { int Get() => x; }
    }
"""
PLAIN = """
    public class Plain
    {
        public double Sum()
        {
            double t = 0;
            for (var i = 0; i < 2000; i++) t += Math.Sqrt(i);
            return Math.Min(t, 1);
        }
    }
"""
SCRIPT = """
    #r "nuget: Newtonsoft.Json, 13.0.3"
    using Newtonsoft.Json;

    public static class Writing
    {
        public static string Json() => JsonConvert.SerializeObject(new { x = 1 });
        public static string Text() => JsonConvert.SerializeObject(new { x = 1, y = Made(1) });
        public static int Made(int x) => x;
        static void Main() { }
    }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files, in a folder that all tests here share."""
    there = tmp_path_factory.mktemp("methods")
    codes = {"lib": LIB, "script": SCRIPT, "a": PLAIN, "b": PLAIN.replace("2000", "6000")}
    for name, code in codes.items():
        (there / f"{name}.cs").write_text(textwrap.dedent(code).lstrip(), encoding="utf-8")
    return there


@pytest.fixture(autouse=True)
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)


def named(*words):
    return [variant.name for variant in methods.variants(words)[1]]


def checked(*words):
    return answers.check(*methods.variants(words))


def test_the_baseline_comes_first_and_every_method_once_for_each_parameter():
    names = named("lib.cs")
    assert names[:3] == ["Loop on N=10", "Linq on N=10", "Later on N=10"]
    assert len(names) == 2 * 12 and names[12] == "Loop on N=100"
    assert named("lib.cs:Later", "lib.cs:Sums.Linq")[:2] == ["Later on N=10", "Linq on N=10"]


def test_generic_methods_are_left_out_and_that_is_said():
    said = []
    methods.variants(["lib.cs"], said.append)
    assert "lib.cs: left out, because generic: Sums.Generic" in said


def test_plain_methods_of_two_files_may_have_one_name():
    assert named("a.cs", "b.cs") == ["a", "b"]
    assert not checked("a.cs", "b.cs")


def test_packages_of_a_script_are_had_and_its_helpers_left_out():
    assert named("script.cs") == ["Json", "Text"]
    with pytest.raises(BenchError, match="Text answers otherwise than Json"):
        checked("script.cs")
    with pytest.raises(InputError, match="'Made' needs arguments"):
        named("script.cs:Made")


def test_another_version_of_a_package_or_of_net_is_another_build():
    _, [json] = methods.variants(["script.cs:Json"])
    older = replace(json, needs=("nuget:Newtonsoft.Json@13.0.2",))
    files = [MethodsFile(each.path, each.needs) for each in (json, older)]
    assert [file.packages for file in files] == [
        {"Newtonsoft.Json": "13.0.3"},
        {"Newtonsoft.Json": "13.0.2"},
    ]
    assert files[0].folder != files[1].folder
    by_another = MethodsFile.of(replace(json, needs=("dotnet:8",)))
    assert by_another.framework == "net8.0" and by_another.folder != files[0].folder


def test_what_is_compared_runs_in_the_net_of_projects():
    _, [json] = methods.variants(["script.cs:Json"])
    assert MethodsFile.of(json).properties["PublishAot"] == "false"
    assert "PublishAot" not in MethodsFile(json.path).properties  # a file-based app has it on


def test_answers_are_compared_for_each_parameter():
    assert not checked("lib.cs:Loop", "lib.cs:Linq", "lib.cs:Later")
    with pytest.raises(BenchError, match="Another on N=10 answers otherwise than Loop on N=10: it"):
        checked("lib.cs:Loop", "lib.cs:Another")


def test_what_cannot_be_compared_is_said():
    assert checked("lib.cs:Loop", "lib.cs:Count", "lib.cs:Nothing", "lib.cs:Hidden")[::2] == [
        "Count on N=10 answers otherwise from call to call: answers are not compared",
        "the answer of Nothing on N=10 can't be compared: it gives nothing back",
        "the answer of Hidden on N=10 can't be compared: a Secret shows nothing of itself",
    ]


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("Fails", r"'Fails' in lib.cs fails: System.InvalidOperationException: it fails\n.*"),
        ("Deep", r"^'Deep' in lib.cs fails: stack overflow at Sums.Deep\(\)$"),
        ("Ends", r"^'Ends' in lib.cs ended its process \(exit code 0\)\n"),
        ("Void", r"^'Void' in lib.cs fails: [^\n]* is async void: [^\n]*$"),
        ("Lazy", "Sums.Lazy returns IEnumerable<Int32>, whose work is done when somebody asks"),
    ],
)
def test_a_method_that_fails_or_does_no_work_is_told(method, message):
    with pytest.raises(BenchError, match=message) as caught:
        checked(f"lib.cs:{method}")
    assert caught.value.exit_code == 1
    assert method != "Fails" or "(lib.cs, line 24)" in str(caught.value)


def test_errors_of_the_compiler_are_told_at_the_lines_of_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        code = f"public class A\n{{\n    public int B() => {name};\n}}\n"
        (tmp_path / f"{name}.cs").write_text(code, encoding="utf-8")
    with pytest.raises(BenchError) as caught:
        methods.variants(["one.cs", "two.cs"])
    for name in ("one", "two"):
        place = f"{name}.cs, line 3, column 23: The name '{name}' does not exist"
        assert place in str(caught.value)
    assert "\n        public int B() => one;\n                          ^" in str(caught.value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere.cs"], "nowhere.cs: there is no such file"),
        (["a.cs:Product"], r"a.cs: no method 'Product' \(there are: Sum\)"),
        (["lib.cs:Sums.Lop"], "lib.cs: no method 'Lop'"),
        (["lib.cs", "a.cs"], "lib.cs: has several methods: Linq, Loop, Later,"),
        (["lib.cs:Helper"], "lib.cs: 'Helper' needs arguments"),
        (["hidden.cs"], "hidden.cs: has no method that can be timed"),
        (["bytes.cs"], "bytes.cs: is not UTF-8"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_built(folder, monkeypatch, words, message):
    (folder / "hidden.cs").write_text("class Hidden { int Get() => 1; } // public")
    (folder / "bytes.cs").write_bytes(b"public class A { } // \xff")
    monkeypatch.setattr(dotnet_build, "build", lambda *_: pytest.fail("it was built"))
    with pytest.raises(InputError, match=message):
        methods.variants(words)


def test_files_whose_methods_can_not_be_chosen_are_refused():
    with pytest.raises(InputError, match="script.cs: has several methods: Json, Text"):
        named("script.cs", "a.cs")
    with pytest.raises(InputError, match="has other cases"):
        named("a.cs", "lib.cs:Loop")


@pytest.mark.slow("times methods")
def test_methods_are_raced(folder, tmp_path):
    kind, found = methods.variants(["a.cs", "b.cs"])
    mode = Mode(2, 0.02, 0.05, launches=2, blocks=4)
    asked = Question(kind, tuple(found), mode, folder).experiment()
    for _ in prepare.prepare(asked, Options(path=tmp_path / "run.json")).events():
        pass
    run = results.load(tmp_path / "run.json")
    assert run.complete and not run.messages
    assert [e.name for e in run.entries] == ["a", "a#2", "b"]
    speeds = {name: sum(sum(each, []), 0.0) for name, each in run.speeds().items()}
    assert speeds["b"] < speeds["a"]


def test_the_plan_is_that_of_functions():
    assert functions.mode(20, 3).budget_seconds == 20
