// Lets a loop at the top level of a cell run as fast as the same loop in a program.
//
// A script's variables are fields, which the JIT can't keep in registers: a loop that adds to one
// takes twice the time that it takes in a Release program. So a loop statement is moved into a local
// function whose parameters have the names of the variables, with the text of the loop unchanged:
//
//     for (…) sum += i;
//     { void loop(long sum, ref long sum_) { try { for (…) sum += i; } finally { sum_ = sum; } } loop(sum, ref sum); }
//
// That is done for a variable only where nobody else can look at it meanwhile: where its name is used
// in no function, lambda or type of the session.

using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Benchbook;

static class Loops
{
    // It runs once, so it is compiled with all optimisations at once, not by and by; it is not
    // inlined, as an error would then be at the line of the call, which is the loop's last.
    const string Flags = "System.Runtime.CompilerServices.MethodImplOptions";
    const string AtOnce = $"[System.Runtime.CompilerServices.MethodImpl({Flags}.AggressiveOptimization | {Flags}.NoInlining)]";
    const string Prefix = "__loop";

    sealed record Variable(string Name, string Type, bool Assigned);

    /// <summary>Is it the name of a function that a loop was moved into?</summary>
    public static bool IsMoved(string function) => function.StartsWith(Prefix);

    /// <summary>The names that functions, lambdas and types of a cell use.</summary>
    public static IEnumerable<string> Captured(SyntaxTree tree) =>
        from node in tree.GetRoot().DescendantNodes()
        where node is AnonymousFunctionExpressionSyntax or LocalFunctionStatementSyntax or BaseMethodDeclarationSyntax
            or BasePropertyDeclarationSyntax or BaseTypeDeclarationSyntax or QueryExpressionSyntax
        from name in node.DescendantNodes().OfType<IdentifierNameSyntax>()
        select name.Identifier.ValueText;

    /// <summary>
    /// What is to be inserted into a cell to move its top-level loops into functions, in the order of
    /// places.
    /// </summary>
    public static IEnumerable<(int Place, string Text)> Move(CompilationUnitSyntax root, SemanticModel model, IReadOnlySet<string> captured, IReadOnlySet<string> mine)
    {
        var loops = root.Members.OfType<GlobalStatementSyntax>().Select(member => member.Statement).Where(IsLoop).ToList();
        if (loops.Count == 0 || root.DescendantTokens().Any(token => token.IsKind(SyntaxKind.UnsafeKeyword))) yield break;
        var moved = 0;
        foreach (var loop in loops)
        {
            var variables = Variables(loop, model, name => captured.Contains(name) || mine.Contains(name));
            if (variables.Count == 0) continue;
            var (before, after) = Around(variables, moved++);
            yield return (loop.SpanStart, before);
            yield return (loop.Span.End, after);
        }
    }

    static bool IsLoop(StatementSyntax statement) =>
        statement is ForStatementSyntax or WhileStatementSyntax or DoStatementSyntax or ForEachStatementSyntax { AwaitKeyword.RawKind: 0 }
        && !statement.DescendantNodes().Any(node => node is AwaitExpressionSyntax or ReturnStatementSyntax or GotoStatementSyntax
            or LabeledStatementSyntax or LocalFunctionStatementSyntax or ForEachStatementSyntax { AwaitKeyword.RawKind: not 0 }
            or UsingStatementSyntax { AwaitKeyword.RawKind: not 0 } or LocalDeclarationStatementSyntax { AwaitKeyword.RawKind: not 0 });

    static List<Variable> Variables(StatementSyntax loop, SemanticModel model, Func<string, bool> isCaptured)
    {
        Dictionary<string, Variable> found = [];
        foreach (var name in loop.DescendantNodes().OfType<IdentifierNameSyntax>())
        {
            if (model.GetSymbolInfo(name).Symbol is not IFieldSymbol { IsConst: false, IsReadOnly: false, IsStatic: false, ContainingType.IsScriptClass: true } field) continue;
            if (field.Locations.Any(place => place.SourceTree == loop.SyntaxTree && loop.Span.Contains(place.SourceSpan))) return [];
            if (isCaptured(field.Name) || !CanBeNamed(field.Type)) continue;
            var assigned = found.GetValueOrDefault(field.Name)?.Assigned == true || MayChange(name, field.Type);
            found[field.Name] = new Variable(field.Name, field.Type.ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat), assigned);
        }
        return [.. found.Values];
    }

    /// <summary>Is it a type that a parameter can have, such as no type of the script itself?</summary>
    public static bool CanBeNamed(ITypeSymbol type) => type switch
    {
        IArrayTypeSymbol array => CanBeNamed(array.ElementType),
        INamedTypeSymbol named => !named.IsAnonymousType && !named.IsRefLikeType && named.TypeKind != TypeKind.Error
            && named.ContainingType is null && named.TypeArguments.All(CanBeNamed),
        _ => false,
    };

    /// <summary>Is it anything but a read? Whatever is done to a struct's members changes the struct.</summary>
    static bool MayChange(IdentifierNameSyntax name, ITypeSymbol type) => name.Parent switch
    {
        AssignmentExpressionSyntax assignment => assignment.Left == name,
        PrefixUnaryExpressionSyntax or PostfixUnaryExpressionSyntax => true,
        ArgumentSyntax argument => !argument.RefKindKeyword.IsKind(SyntaxKind.None) || argument.Parent is TupleExpressionSyntax,
        BinaryExpressionSyntax or ElementAccessExpressionSyntax => type is { IsValueType: true, SpecialType: SpecialType.None },
        _ => true,
    };

    static (string Before, string After) Around(List<Variable> variables, int number)
    {
        var function = $"{Prefix}{number}";
        var parameters = variables.Select(each => $"{each.Type} {each.Name}")
            .Concat(variables.Where(each => each.Assigned).Select(each => $"ref {each.Type} {each.Name}__"));
        var arguments = variables.Select(each => each.Name)
            .Concat(variables.Where(each => each.Assigned).Select(each => $"ref {each.Name}"));
        var back = string.Concat(variables.Where(each => each.Assigned).Select(each => $"{each.Name}__ = {each.Name}; "));
        return ($"{{ {AtOnce} void {function}({string.Join(", ", parameters)}) {{ try {{ ",
            $" }} finally {{ {back}}} }} {function}({string.Join(", ", arguments)}); }}");
    }
}
