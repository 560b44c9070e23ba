"""Cells that use .NET's libraries, display, and names of .NET Interactive.

Each case is a name, the cells in order, and what the last one shows. Written for these tests, in
the ways that public C# notebooks are written.
"""

from csharp_case import case

CASES = [
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
