"""Cells of the C# language: statements, types, collections, async.

Each case is a name, the cells in order, and what the last one shows. Written for these tests, in
the ways that public C# notebooks are written.
"""

from csharp_case import case

CASES = [
    # ---- what a program's top level may declare, but a script's may not
    case(
        "a using declaration",
        'using var reader = new StringReader("abc");\nreader.ReadToEnd()',
        value="abc",
    ),
    case(
        "a using declaration with its type",
        'using StringReader reader = new("abc"), other = new("d");\nvar both = reader.ReadToEnd() + other.ReadToEnd();',
        "both",
        value="abcd",
    ),
    case(
        "using declarations are disposed at the end of the cell, the last one first",
        "class Held(string name) : IDisposable, IAsyncDisposable\n{\n"
        '    public void Dispose() => Console.WriteLine($"{name} is disposed");\n'
        '    public async ValueTask DisposeAsync() { await Task.Yield(); Console.WriteLine($"{name} later"); }\n}',
        'using var a = new Held("a");\nawait using var b = new Held("b");\nusing var _ = new Held("c");\nConsole.WriteLine("work");',
        out="work\nc is disposed\nb later\na is disposed\n",
    ),
    case(
        "a discard beside a using declaration",
        "using var _ = new StringReader(string.Empty);",
        '_ = "a text"; int.TryParse("7", out _)',
        value="True",
    ),
    case(
        "a span",
        'ReadOnlySpan<char> word = "hello".AsSpan(1, 3);\nword.ToString()',
        value="ell",
    ),
    case("a span as the value", 'var word = "hello".AsSpan(1, 3);\nword', value="ell"),
    case("a span that is only a value", '"hello".AsSpan(1)', value="ello"),
    case("a span of numbers as the value", "Span<int> all = [3, 1];\nall", value="[ 3, 1 ]"),
    case(
        "variables beside a span stay",
        "var before = 1; Span<int> all = stackalloc int[] { 1, 2, 3 };\n"
        "int sum = 0, unused;\nforeach (var each in all) sum += each;\nvar twice = 2 * sum;",
        "before + sum + twice",
        value="19",
    ),
    case(
        "a span, a call without a value, and a type",
        "Span<int> all = [2, 1];\nall.Sort();\nConsole.Write(new Low(all[0]).Value);\nrecord Low(int Value);",
        out="1",
    ),
    case(
        "a reference",
        "int[] numbers = [1, 2];\nref var first = ref numbers[0];\nfirst = 40;",
        "numbers.Sum()",
        value="42",
    ),
    # ---- expressions and statements
    case("a sum", "1 + 1", value="2"),
    case("text", '"text"', value="text"),
    case("a truth", "1 < 2", value="True"),
    case("a character", "'x'", value="x"),
    case("a decimal number", "1.50m", value="1.50"),
    case("nothing for null", "(string)null"),
    case("nothing for a statement", "var a = 1;"),
    case("an empty cell", ""),
    case("only a comment", "// nothing to run"),
    case("a variable by its name", "var x = 40;\nx + 2", value="42"),
    case("state over cells", "int x = 41;", "x++;", "x", value="42"),
    case("a variable declared again", "var x = 1;", 'var x = "one";', "x.Length", value="3"),
    case("printing", 'Console.WriteLine("a"); Console.Write("b");', out="a\nb"),
    case("printing and a value", 'Console.WriteLine("a");\n2 * 3', value="6", out="a\n"),
    case("interpolation", 'var who = "you";\n$"hello, {who,5}!"', value="hello,   you!"),
    case("a raw string", 'var t = """\n    {"a": 1}\n    """;\nt', value='{"a": 1}'),
    case("a loop", "var n = 0;\nfor (var i = 0; i < 10; i++) n += i;\nn", value="45"),
    case("a switch expression", 'int n = 5;\nn switch { < 3 => "few", _ => "many" }', value="many"),
    case("a tuple", '(1, "a")', value="(1, a)"),
    case("deconstruction", "var (a, b) = (1, 2);", "a + b", value="3"),
    case("an index from the end", "new[] { 1, 2, 3 }[^1]", value="3"),
    case("a range", "new[] { 1, 2, 3, 4 }[1..3]", value="[ 2, 3 ]"),
    case(
        "a collection expression", "int[] all = [1, 2, .. new[] { 3 }];\nall", value="[ 1, 2, 3 ]"
    ),
    case(
        "try and catch",
        'try { int.Parse("x"); } catch (FormatException) { Console.Write(1); }',
        out="1",
    ),
    case("checked arithmetic", "unchecked((byte)300)", value="44"),
    case("nullable", "int? none = null;\nnone ?? 7", value="7"),
    case(
        "pattern matching", 'object o = "abc";\no is string { Length: 3 } s ? s : "no"', value="abc"
    ),
    case("an enum", "DayOfWeek.Friday", value="Friday"),
    case("nameof and typeof", "nameof(Console) + typeof(int).Name", value="ConsoleInt32"),
    # ---- functions and types
    case("a function", "int Twice(int n) => 2 * n;", "Twice(21)", value="42"),
    case("a function of functions", "Func<int, int> inc = n => n + 1;", "inc(inc(1))", value="3"),
    case("a function defined again", "int F() => 1;", "int F() => 2;", "F()", value="2"),
    case(
        "a local function", "int Outer() { int Inner() => 5; return Inner(); }\nOuter()", value="5"
    ),
    case(
        "a generic function",
        "T First<T>(IEnumerable<T> all) => all.First();",
        'First(new[] { "a" })',
        value="a",
    ),
    case(
        "recursion",
        "long Fib(int n) => n < 2 ? n : Fib(n - 1) + Fib(n - 2);",
        "Fib(20)",
        value="6765",
    ),
    case("a class", "class Point { public int X { get; set; } = 3; }", "new Point().X", value="3"),
    case(
        "a record",
        "record Person(string Name, int Age);",
        'new Person("Ann", 3) with { Age = 4 }',
        html=("Name", "Ann", "Age", "4"),
    ),
    case("records are equal by value", "record P(int X);", "new P(1) == new P(1)", value="True"),
    case("a struct", "struct S { public int A; public int B; }", "new S { A = 1 }.A", value="1"),
    case(
        "an interface",
        "interface IShape { double Area { get; } }\nclass Square(double a) : IShape { public double Area => a * a; }",
        "IShape s = new Square(3);\ns.Area",
        value="9",
    ),
    case(
        "a generic class",
        "class Box<T> { public T Value; }",
        "new Box<int> { Value = 8 }.Value",
        value="8",
    ),
    case("an own enum", "enum Level { Low, High = 10 }", "(int)Level.High", value="10"),
    case(
        "an extension method as scripts allow it",
        'static string Shout(this string s) => s.ToUpper() + "!";',
        '"hey".Shout()',
        value="HEY!",
    ),
    case(
        "an extension method in a class",
        "static class Ext { public static int Twice(this int n) => 2 * n; }",
        "4.Twice()",
        value="8",
    ),
    case(
        "an abstract class",
        "abstract class A { public abstract int N(); }\nclass B : A { public override int N() => 6; }",
        "new B().N()",
        value="6",
    ),
    case(
        "an operator",
        "struct V { public int X; public static V operator +(V a, V b) => new V { X = a.X + b.X }; }",
        "(new V { X = 1 } + new V { X = 2 }).X",
        value="3",
    ),
    case(
        "an event",
        "class Bell { public event Action Rang; public void Ring() => Rang?.Invoke(); }",
        'var bell = new Bell();\nbell.Rang += () => Console.Write("ding");\nbell.Ring();',
        out="ding",
    ),
    case(
        "IDisposable",
        'class D : IDisposable { public void Dispose() => Console.Write("bye"); }',
        "using (new D()) Console.Write(1);",
        out="1bye",
    ),
    case(
        "a namespace",
        'namespace Zoo { public class Cat { public string Says() => "meow"; } }',
        "new Zoo.Cat().Says()",
        value="meow",
    ),
    case(
        "a namespace used at once",
        'namespace Zoo { class Dog { public override string ToString() => "woof"; } }\nnew Zoo.Dog().ToString()',
        value="woof",
    ),
    case(
        "a file-scoped namespace",
        "namespace Farm;\npublic record Cow(string Name);",
        'using Farm;\nnew Cow("Elsa").Name',
        value="Elsa",
    ),
    case(
        "a namespace declared again",
        "namespace N { public class C { public int V = 1; } }",
        "namespace N { public class C { public int V = 2; } }",
        "new N.C().V",
        value="2",
    ),
    # ---- LINQ and collections
    case(
        "LINQ",
        "Enumerable.Range(1, 5).Where(n => n % 2 == 1).Select(n => n * n)",
        value="[ 1, 9, 25 ]",
    ),
    case(
        "a query", "(from n in new[] { 3, 1, 2 } orderby n select n).ToList()", value="[ 1, 2, 3 ]"
    ),
    case(
        "grouping",
        'new[] { "a", "bb", "cc" }.GroupBy(s => s.Length).ToDictionary(g => g.Key, g => g.Count())',
        html=("key", "value", "1", "2"),
    ),
    case(
        "groups",
        'new[] { "a", "bb", "cc" }.GroupBy(word => word.Length)',
        value="{ 1: [ a ], 2: [ bb, cc ] }",
        html=(">key<", ">value<", ">1<", "a", ">2<", "bb, cc"),
    ),
    case(
        "a long sequence is cut",
        "Enumerable.Range(0, 100)",
        value="[ " + ", ".join(map(str, range(20))) + ", (80 more) ]",
    ),
    case(
        "a long list says how much more",
        "Enumerable.Range(0, 25).ToList()",
        value="[ " + ", ".join(map(str, range(20))) + ", (5 more) ]",
    ),
    case(
        "an endless sequence",
        "IEnumerable<int> All() { for (var i = 0; ; i++) yield return i; }",
        "All().Take(3)",
        value="[ 0, 1, 2 ]",
    ),
    case("an empty list", "new List<int>()", value="[ ]"),
    case(
        "anonymous objects as a table",
        'new[] { new { Name = "a", N = 1 }, new { Name = "b", N = 2 } }',
        value="Name  N\n----  -\na     1\nb     2",
        html=("<table>", "Name", "N", "<td", "a", "b"),
    ),
    case(
        "records as a table",
        "record R(int Id, string Text);",
        'new List<R> { new(1, "x"), new(2, "y<z") }',
        html=("Id", "Text", "x", "y&lt;z"),
    ),
    case(
        "a dictionary",
        'new Dictionary<string, int> { ["one"] = 1 }',
        value="{ one: 1 }",
        html=("one", "1"),
    ),
    case(
        "an object's members",
        'class Car { public string Make = "VW"; public int Doors => 4; }',
        "new Car()",
        html=("Doors", "4", "Make", "VW"),
    ),
    case(
        "nested objects",
        "new { Outer = new { Inner = 5 } }",
        value="{ Outer = { Inner = 5 } }",
        html=("Outer", "Inner", "5"),
    ),
    case(
        "an object in itself",
        "class Node { public Node Next; public int V = 1; }",
        "var n = new Node();\nn.Next = n;\nn",
        html="Next",
    ),
    case("a stack", "new Stack<int>(new[] { 1, 2 }).Pop()", value="2"),
    # ---- async
    case("await", "await Task.Delay(1);\n5", value="5"),
    case("await of a value", "var v = await Task.FromResult(41);", "v + 1", value="42"),
    case(
        "an async function",
        "async Task<int> Slow() { await Task.Yield(); return 9; }",
        "await Slow()",
        value="9",
    ),
    case(
        "await foreach",
        "async IAsyncEnumerable<int> Numbers() { for (var i = 0; i < 3; i++) { await Task.Yield(); yield return i; } }",
        "var s = 0;\nawait foreach (var n in Numbers()) s += n;\ns",
        value="3",
    ),
    case(
        "Task.WhenAll",
        "(await Task.WhenAll(Task.FromResult(1), Task.FromResult(2))).Sum()",
        value="3",
    ),
    case(
        "a result that is waited for",
        "async Task<int> Two() { await Task.Delay(5); return 2; }\nTwo().Result",
        value="2",
    ),
    case(
        "parallel",
        "var total = 0;\nParallel.For(0, 100, i => Interlocked.Increment(ref total));\ntotal",
        value="100",
    ),
]
