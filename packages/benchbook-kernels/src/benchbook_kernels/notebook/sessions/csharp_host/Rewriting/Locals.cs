// Lets a cell declare at its top level what a program may declare there, but a script may not:
//
//     using var file = File.OpenRead(path);     disposed when the cell has ended
//     ReadOnlySpan<char> word = text.AsSpan(4); there as long as the cell runs
//     ref var first = ref numbers[0];
//
// A script's variables are fields. So a using declaration becomes an ordinary variable whose value
// Disposal knows; and from the first span or reference on, the statements of a cell go into a block,
// but what else they declare is declared before it, so that later cells have it.

using System.ComponentModel;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Benchbook;

[EditorBrowsable(EditorBrowsableState.Never)]
public static class Locals
{
    internal const string SpanInField = "CS8345";
    const string SpanAsValue = "CS0029"; // something that is no object
    const string NoStatement = "CS0201"; // an expression whose value nobody takes
    static readonly string[] ScriptsOnly = ["CS7011", "CS8097", "CS8803"]; // #r, #load, and statements after types, where a cell is parsed as a program
    const string Resources = "global::Benchbook.Disposal", Own = "global::Benchbook.Locals";

    /// <summary>What is shown of a value at the end of a block; spans are no objects.</summary>
    public static object? Shown<T>(T value) => value;

    public static object Shown<T>(Span<T> span) => span.ToArray();

    public static object Shown<T>(ReadOnlySpan<T> span) => span.ToArray();

    public static object Shown(Span<char> span) => span.ToString();

    public static object Shown(ReadOnlySpan<char> span) => span.ToString();

    /// <summary>A cell without the keywords of its top-level using declarations; as long as before.</summary>
    internal static string WithoutUsings(string code) =>
        Parts.Blank(code, Usings(code).SelectMany(Keywords));

    /// <summary>A cell whose top-level using declarations are variables that Disposal knows.</summary>
    internal static string WithDisposal(string code)
    {
        List<TextSpan> blank = [];
        List<(int, string)> insertions = [];
        foreach (var declaration in Usings(code))
        {
            var call = $"{Resources}.{(declaration.AwaitKeyword.IsKind(SyntaxKind.AwaitKeyword) ? "AddAsync" : "Add")}";
            var names = declaration.Declaration.Variables;
            if (names is [{ Identifier.Text: "_", Initializer: { } made }])
            {
                // as a variable it would stand for the discards of later cells
                blank.Add(TextSpan.FromBounds(declaration.SpanStart, made.Value.SpanStart));
                insertions.AddRange([(made.Value.SpanStart, $"{call}("), (made.Value.Span.End, ")")]);
                continue;
            }
            blank.AddRange(Keywords(declaration));
            insertions.Add((declaration.Span.End, string.Concat(names.Select(name => $" {call}({name.Identifier.Text});"))));
        }
        return Stop.Insert(Parts.Blank(code, blank), insertions);
    }

    static List<LocalDeclarationStatementSyntax> Usings(string code)
    {
        if (!code.Contains("using")) return [];
        return [.. Statements(Parse(code)).OfType<LocalDeclarationStatementSyntax>().Where(declaration =>
            declaration.UsingKeyword.IsKind(SyntaxKind.UsingKeyword) && !declaration.SemicolonToken.IsMissing)];
    }

    static TextSpan[] Keywords(LocalDeclarationStatementSyntax declaration) => [declaration.AwaitKeyword.Span, declaration.UsingKeyword.Span];

    // parsed as a program: scripts take a using declaration for a directive
    static CompilationUnitSyntax Parse(string code) => CSharpSyntaxTree.ParseText(code, Submissions.Parsing).GetCompilationUnitRoot();

    static IEnumerable<StatementSyntax> Statements(CompilationUnitSyntax root) => root.Members.OfType<GlobalStatementSyntax>().Select(member => member.Statement);

    /// <summary>
    /// A script that failed, with its spans and references in a block; null where it has none at its
    /// top level, or fails then, too, with the errors that are the reader's.
    /// </summary>
    internal static (string? Text, IEnumerable<Diagnostic> Errors) Enclose(string script, IReadOnlyList<Diagnostic> errors, Func<string, CSharpCompilation> compile)
    {
        var root = Parse($"{script}\n;"); // a last expression is a statement, too
        if (root.GetDiagnostics().Any(IsError)) return (null, errors);
        var spans = Places(errors, SpanInField);
        var values = Places(errors, SpanAsValue);
        var all = root.Members.Where(member => member.SpanStart < script.Length).ToList();
        var begin = all.FindIndex(member => member is GlobalStatementSyntax { Statement: var statement } && statement switch
        {
            LocalDeclarationStatementSyntax declaration => declaration.Declaration.Type is RefTypeSyntax or ScopedTypeSyntax || spans.Any(declaration.Span.Contains),
            ExpressionStatementSyntax value => value.Span.End > script.Length && values.Contains(value.SpanStart),
            _ => false,
        });
        if (begin < 0) return (null, errors);
        var end = all.FindLastIndex(member => member is GlobalStatementSyntax);
        var members = all[begin..(end + 1)];
        if (!members.All(member => member is GlobalStatementSyntax)) return (null, errors); // a block holds no types
        var statements = members.Select(member => ((GlobalStatementSyntax)member).Statement).ToList();
        if (statements[^1] is not ExpressionStatementSyntax && statements[^1].Span.End > script.Length) return (null, errors); // it has no end
        foreach (var returns in new[] { true, false })
        {
            var text = Block(script, statements, [], returns);
            var compilation = compile(text);
            var left = Errors(compilation);
            if (left.Count == 0)
            {
                var hoisted = Block(script, statements, Hoisted(compilation, statements), returns);
                return (Errors(compile(hoisted)).Count == 0 ? hoisted : text, []);
            }
            left.RemoveAll(error => error.Id == NoStatement);
            if (!returns && left.Count > 0) errors = left;
        }
        return (null, errors);
    }

    static List<Diagnostic> Errors(CSharpCompilation compilation) => [.. compilation.GetDiagnostics().Where(IsError)];

    static bool IsError(Diagnostic diagnostic) => diagnostic.Severity == DiagnosticSeverity.Error && !ScriptsOnly.Contains(diagnostic.Id);

    static HashSet<int> Places(IEnumerable<Diagnostic> errors, string id) => [.. errors.Where(error => error.Id == id).Select(error => error.Location.SourceSpan.Start)];

    /// <summary>The script with a block around some statements, the value of the last of which it may return.</summary>
    static string Block(string script, List<StatementSyntax> statements, IReadOnlyList<(LocalDeclarationStatementSyntax Declaration, string Fields)> hoisted, bool returns)
    {
        // int a = 1, b; becomes a = 1; ; where a and b are declared before
        var moved = hoisted.Select(each => each.Declaration.Declaration).ToList();
        var left = moved.SelectMany(each => each.Variables).Where(variable => variable.Initializer is null);
        var text = new StringBuilder(Parts.Blank(script, moved.Select(each => each.Type.Span).Concat(left.Select(variable => variable.Span))));
        foreach (var comma in moved.SelectMany(each => each.Variables.GetSeparators())) text[comma.SpanStart] = ';';
        var start = statements[0].SpanStart;
        var line = script.LastIndexOf('\n', Math.Max(0, start - 1)) + 1;
        var head = $"{string.Concat(hoisted.Select(each => each.Fields))}{{ ";
        List<(int, string)> insertions = [];
        if (start == 0 || string.IsNullOrWhiteSpace(script[line..start]))
        {
            // on a line of its own, so that errors point at the cell's columns
            insertions.Add((start == 0 ? 0 : line, $"{head}\n#line {script[..start].Count(letter => letter == '\n') + 1}\n"));
        }
        else
        {
            insertions.Add((start, head));
        }
        if (statements[^1] is ExpressionStatementSyntax value && value.Span.End > script.Length)
        {
            if (returns) insertions.Add((value.Expression.SpanStart, $"return {Own}.{nameof(Shown)}("));
            insertions.Add((value.Expression.Span.End, returns ? "); }" : "; }"));
        }
        else
        {
            insertions.Add((statements[^1].Span.End, " }"));
        }
        return Stop.Insert(text.ToString(), insertions);
    }

    /// <summary>The declarations in a block that fields can hold, each with those fields.</summary>
    static List<(LocalDeclarationStatementSyntax Declaration, string Fields)> Hoisted(CSharpCompilation compilation, List<StatementSyntax> statements)
    {
        var tree = compilation.SyntaxTrees.Last();
        var model = compilation.GetSemanticModel(tree);
        var block = Statements(tree.GetCompilationUnitRoot()).OfType<BlockSyntax>().FirstOrDefault(each => each.Statements.Count == statements.Count);
        List<(LocalDeclarationStatementSyntax, string)> found = [];
        if (block is null) return found;
        foreach (var (statement, compiled) in statements.Zip(block.Statements))
        {
            if (statement is not LocalDeclarationStatementSyntax { IsConst: false } declaration || compiled is not LocalDeclarationStatementSyntax same) continue;
            var fields = declaration.Declaration.Variables.Zip(same.Declaration.Variables, (variable, local) => Field(variable, model.GetDeclaredSymbol(local) as ILocalSymbol)).ToList();
            if (!fields.Contains(null)) found.Add((declaration, string.Concat(fields)));
        }
        return found;
    }

    static string? Field(VariableDeclaratorSyntax variable, ILocalSymbol? local)
    {
        if (local is null || local.IsRef || variable.Initializer?.Value is InitializerExpressionSyntax) return null;
        var written = ((VariableDeclarationSyntax)variable.Parent!).Type;
        if (local.Type.IsRefLikeType || local.Type is IPointerTypeSymbol || written is ScopedTypeSyntax) return null;
        if (!written.IsVar) return $"{written} {variable.Identifier.Text}; ";
        return Loops.CanBeNamed(local.Type) ? $"{local.Type.ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat)} {variable.Identifier.Text}; " : null;
    }
}
