"""Cells of C# and what each shows: the value's text, what is printed, or what its HTML holds.

Each case is a name, the cells in order, and what the last one shows. Written for these tests, in
the ways that public C# notebooks are written.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """`value`: the last cell's value as text; `out`: all that the last cell prints; `html`: what
    the HTML that it shows, as its value or by display, must hold, in this order."""

    name: str
    cells: tuple[str, ...]
    value: str | None = None
    out: str = ""
    html: tuple[str, ...] = ()


def case(name: str, *cells: str, value=None, out="", html=()) -> Case:
    return Case(name, cells, value, out, (html,) if isinstance(html, str) else tuple(html))


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
    # ---- usings, directives, libraries of .NET
    case(
        "usings persist",
        "using System.Globalization;",
        "CultureInfo.InvariantCulture.Name.Length",
        value="0",
    ),
    case("a static using", "using static System.Math;", "Max(2, 3)", value="3"),
    case(
        "an alias",
        "using Names = System.Collections.Generic.List<string>;",
        "new Names().Count",
        value="0",
    ),
    case(
        "JSON", "using System.Text.Json;\nJsonSerializer.Serialize(new { a = 1 })", value='{"a":1}'
    ),
    case(
        "a regular expression",
        'using System.Text.RegularExpressions;\nRegex.Match("a12", @"\\d+").Value',
        value="12",
    ),
    case(
        "StringBuilder without a using", 'new StringBuilder("a").Append("b").ToString()', value="ab"
    ),
    case("ArrayList without a using", "new ArrayList { 1 }.Count", value="1"),
    case(
        "ASP.NET is there",
        'using Microsoft.AspNetCore.Http;\nnew PathString("/a").Value',
        value="/a",
    ),
    case("unsafe code", "unsafe { int n = 3; int* p = &n; Console.Write(*p); }", out="3"),
    case(
        "spans in a function",
        "int Sum(ReadOnlySpan<int> all) { var s = 0; foreach (var n in all) s += n; return s; }",
        "Sum([1, 2, 3])",
        value="6",
    ),
    case(
        "dynamic", "dynamic d = new System.Dynamic.ExpandoObject();\nd.X = 4;\nd.X + 1", value="5"
    ),
    # ---- display
    case("display of text", 'display("shown");', html=()),
    case("display of HTML", 'display(HTML("<b>bold</b>"));', html="<b>bold</b>"),
    case(
        "HTML's blocks and cells stand apart in its text",
        'HTML("<p><b>JSON</b><br><code>5b</code></p><table><tr><td>a</td><td>b</td></tr></table>")',
        value="JSON\n5b\na b",
    ),
    case("HTML as a value", 'HTML("<i>i</i>")', html="<i>i</i>"),
    case("an extension's Display", "new[] { new { A = 1 } }.Display();", html=("A", "1")),
    case("display as a MIME type", 'display("<u>u</u>", "text/html");', html="<u>u</u>"),
    case("DisplayAs", '"<u>u</u>".DisplayAs("text/html");', html="<u>u</u>"),
    case(
        "DisplayTable",
        "new[] { new { A = 1 }, new { A = 2 } }.DisplayTable();",
        html=("A", "1", "2"),
    ),
    case(
        "PocketView",
        'div(h1("Title"), p[style: "color:red"]("a < b"))',
        html='<div><h1>Title</h1><p style="color:red">a &lt; b</p></div>',
    ),
    case(
        "PocketView with sequences",
        "ul(new[] { 1, 2 }.Select(n => li(n)))",
        html="<ul><li>1</li><li>2</li></ul>",
    ),
    case(
        "a registered formatter",
        'class Money { public int Cents; }\nFormatter.Register<Money>(m => $"{m.Cents / 100m:0.00} EUR", "text/plain");',
        "new Money { Cents = 250 }",
        value="2.50 EUR",
    ),
    case(
        "a registered HTML formatter",
        'class Dot { }\nFormatter.Register<Dot>((d, writer) => writer.Write("<b>dot</b>"), "text/html");',
        "new Dot()",
        html="<b>dot</b>",
    ),
    case(
        "a registered HTML formatter within a list",
        "record Friend(string Name);\n"
        'Formatter.Register<Friend>((f, w) => w.Write($"<b>{f.Name}</b>"), "text/html");',
        'new List<Friend> { new("Ann"), new("Bo") }',
        html=(">index<", ">value<", ">0<", "<b>Ann</b>", ">1<", "<b>Bo</b>"),
    ),
    case(
        "a registered text formatter within a list",
        'record Coin(int Cents);\nFormatter.Register<Coin>(c => $"{c.Cents} ct");',
        "new List<Coin> { new(1), new(2) }",
        value="[ 1 ct, 2 ct ]",
        html=(">value<", "1 ct", "2 ct"),
    ),
    case(
        "a list of HTML",
        'new object[] { h1("A"), HTML("<i>b</i>") }',
        value="[ A, b ]",
        html=(">index<", ">value<", "<h1>A</h1>", "<i>b</i>"),
    ),
    case(
        "formatters forgotten",
        'class Dot { public int X = 1; }\nFormatter.Register<Dot>(d => "dot");\nFormatter.ResetToDefault();',
        "new Dot()",
        html=("X", "1"),
    ),
    case(
        "the limit of lists",
        "Formatter.ListExpansionLimit = 2;",
        "new List<int> { 1, 2, 3 }",
        value="[ 1, 2, (1 more) ]",
    ),
    case("ToDisplayString", "new[] { 1, 2 }.ToDisplayString()", value="[ 1, 2 ]"),
    case(
        "usings of .NET Interactive",
        "using Microsoft.DotNet.Interactive;\nusing Microsoft.DotNet.Interactive.Formatting;\n1",
        value="1",
    ),
    # ---- names that cells may use as they like
    case("a discarded result", 'int.TryParse("12", out _)', value="True"),
    case("a discarded value", "_ = Math.Abs(-1);\nvar (first, _) = (1, 2);", "first", value="1"),
    case(
        "union is a name",
        "var union = new HashSet<int> { 1 };\nunion.UnionWith(new[] { 2 });",
        "union.Count",
        value="2",
    ),
    case(
        "names of elements as variables",
        'var text = "t";\nvar line = 1;\nvar html = "<hr>";',
        "text + line + html",
        value="t1<hr>",
    ),
    # ---- more of .NET Interactive's names
    case(
        "usings of its namespaces alone",
        "using Microsoft.DotNet.Interactive.Commands;\n"
        "using Microsoft.DotNet.Interactive.Events;\n"
        "using Microsoft.DotNet.Interactive.Formatting.TabularData;\n2",
        value="2",
    ),
    case(
        "styles for the page", 'CSS("h1 { color: red }");', html="<style>h1 { color: red }</style>"
    ),
    case(
        "display by its full name",
        'Microsoft.DotNet.Interactive.Kernel.display(Kernel.HTML("<b>b</b>"));',
        html="<b>b</b>",
    ),
    case(
        "a drawing",
        "svg[width: 10](g(circle[r: 4]()))",
        html='<svg width="10"><g><circle r="4"></circle></g></svg>',
    ),
    case("an element without a name of its own", 'new PocketView("x-tag")', html="<x-tag></x-tag>"),
    case(
        "a formatter with a context",
        "Formatter.Register<Version>((version, context) =>\n"
        '{ context.Writer.Write($"v{version.Major}"); return true; }, "text/html");',
        "new Version(3, 1)",
        html="v3",
    ),
    case(
        "a formatter that leaves a value to the others",
        'Formatter.Register<Version>((_, _) => false, "text/plain");',
        "new Version(3, 1)",
        value="3.1",
    ),
    case(
        "a formatter that formats what is inside",
        "record Pair(object Left);\n"
        'Formatter.Register<Pair>((pair, context) => { pair.Left.FormatTo(context, "text/html"); return true; }, "text/html");',
        "new Pair(new[] { 1, 2 })",
        html="[ 1, 2 ]",
    ),
    case(
        "a formatter of a type that is a value",
        'Formatter.Register(typeof(Guid), value => "a guid");',
        "Guid.Empty",
        value="a guid",
    ),
]
