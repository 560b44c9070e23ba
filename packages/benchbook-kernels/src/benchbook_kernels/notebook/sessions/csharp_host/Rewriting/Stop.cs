// Lets the loops of a cell end when the cell is interrupted.
//
// A loop that calls something, or has no end of its own, looks at a flag in each round:
//
//     while (true) Work();
//     while (true) { Stop.Look(); Work(); }
//
// .NET can abort a thread (see Session.cs), but in what libraries do on the way (finally blocks,
// iterators, locks) that ends the whole process more often than not, and where a process aborted
// before it may do so in vain. A loop that only computes, up to its end, has no look, which would be
// felt: it took up to 1.4 times as long.

using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Benchbook;

[EditorBrowsable(EditorBrowsableState.Never)]
public static class Stop
{
    const string Call = "global::Benchbook.Stop.Look(); ";

    static readonly AsyncLocal<int> Cell = new(); // the cell that started what runs here, also in tasks
    static volatile int interrupted;
    static volatile bool asked;

    /// <summary>Ends the cell if it is to end.</summary>
    /// <exception cref="OperationCanceledException">It was interrupted.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Look()
    {
        if (asked) LookCloser();
    }

    static void LookCloser()
    {
        if (Cell.Value == interrupted) throw new OperationCanceledException("the cell was interrupted");
    }

    /// <summary>The cell that started what runs here.</summary>
    internal static int Current => Cell.Value;

    /// <summary>What is started from here on belongs to this cell.</summary>
    internal static void Begin(int cell)
    {
        asked = false;
        Cell.Value = cell;
    }

    /// <summary>The loops of this cell shall end, and it shall print no more.</summary>
    internal static void Ask(int cell)
    {
        interrupted = cell;
        asked = true;
    }

    /// <summary>What is to be inserted into a text so that its loops look, in the order of places.</summary>
    internal static IEnumerable<(int Place, string Text)> Looks(SyntaxNode root, SemanticModel model)
    {
        // after an await a cell goes on elsewhere, where no abort reaches it
        var awaits = root.DescendantTokens().Any(token => token.IsKind(SyntaxKind.AwaitKeyword));
        foreach (var loop in root.DescendantNodes().OfType<StatementSyntax>())
        {
            if (Body(loop) is not { IsMissing: false } body || !(awaits || IsEndless(loop) || Calls(loop, model))) continue;
            if (body is BlockSyntax block)
            {
                yield return (block.OpenBraceToken.Span.End, $" {Call}");
            }
            else
            {
                yield return (body.SpanStart, $"{{ {Call}");
                yield return (body.Span.End, " }");
            }
        }
    }

    static StatementSyntax? Body(StatementSyntax statement) => statement switch
    {
        ForStatementSyntax loop => loop.Statement,
        CommonForEachStatementSyntax loop => loop.Statement,
        WhileStatementSyntax loop => loop.Statement,
        DoStatementSyntax loop => loop.Statement,
        _ => null,
    };

    static bool IsEndless(StatementSyntax statement) => statement switch
    {
        ForStatementSyntax loop => loop.Condition is null || IsTrue(loop.Condition),
        WhileStatementSyntax loop => IsTrue(loop.Condition),
        DoStatementSyntax loop => IsTrue(loop.Condition),
        _ => false,
    };

    static bool IsTrue(ExpressionSyntax condition) => condition.IsKind(SyntaxKind.TrueLiteralExpression);

    /// <summary>Is anything in it, but what is as simple as arithmetic, done by other code?</summary>
    static bool Calls(SyntaxNode node, SemanticModel? model) => node.DescendantNodesAndSelf().Any(part => part switch
    {
        InvocationExpressionSyntax call => !IsSimple(call, model),
        ForEachStatementSyntax loop => model?.GetTypeInfo(loop.Expression).Type is not (IArrayTypeSymbol or { SpecialType: SpecialType.System_String }),
        LocalDeclarationStatementSyntax local => local.UsingKeyword.IsKind(SyntaxKind.UsingKeyword),
        BaseObjectCreationExpressionSyntax or ForEachVariableStatementSyntax or TryStatementSyntax or UsingStatementSyntax
            or LockStatementSyntax or YieldStatementSyntax or ThrowStatementSyntax or QueryExpressionSyntax => true,
        _ => false,
    });

    /// <summary>Is it a call of Math, or of a reader's function that calls nothing itself?</summary>
    static bool IsSimple(InvocationExpressionSyntax call, SemanticModel? model) =>
        model?.GetSymbolInfo(call).Symbol is IMethodSymbol method
        && (method.ContainingType?.ToDisplayString() is "System.Math" or "System.MathF"
            || method.DeclaringSyntaxReferences is [var declared] && !Calls(declared.GetSyntax(), null));

    /// <summary>A text with what is to be inserted; where the places are equal, in the order given.</summary>
    internal static string Insert(string text, IEnumerable<(int Place, string Text)> insertions)
    {
        var all = new StringBuilder();
        var done = 0;
        foreach (var (place, more) in insertions.OrderBy(each => each.Place))
        {
            all.Append(text, done, place - done).Append(more);
            done = place;
        }
        return all.Append(text, done, text.Length - done).ToString();
    }
}
