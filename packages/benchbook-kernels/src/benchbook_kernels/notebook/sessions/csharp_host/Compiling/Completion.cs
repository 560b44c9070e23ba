// Tab and Shift-Tab, answered by the compiler from the cells so far and the one that is being written.

using System.Text;
using System.Text.Json.Nodes;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Benchbook;

public static class Completion
{
    const int Most = 500, MostSignatures = 20;

    static readonly SymbolDisplayFormat Signature = SymbolDisplayFormat.MinimallyQualifiedFormat
        .WithParameterOptions(SymbolDisplayParameterOptions.IncludeType | SymbolDisplayParameterOptions.IncludeName
            | SymbolDisplayParameterOptions.IncludeDefaultValue | SymbolDisplayParameterOptions.IncludeParamsRefOut)
        .WithMemberOptions(SymbolDisplayMemberOptions.IncludeParameters | SymbolDisplayMemberOptions.IncludeType
            | SymbolDisplayMemberOptions.IncludeContainingType | SymbolDisplayMemberOptions.IncludeModifiers)
        .WithKindOptions(SymbolDisplayKindOptions.IncludeTypeKeyword | SymbolDisplayKindOptions.IncludeNamespaceKeyword);

    /// <summary>What may stand at a position, which counts UTF-16 units.</summary>
    public static JsonObject Complete(Submissions submissions, string code, int position)
    {
        var (rest, _) = Packages.Directives(code);
        var start = position;
        while (start > 0 && IsWord(rest[start - 1])) start--;
        var prefix = rest[start..position];
        var compilation = submissions.Ask(rest);
        var tree = compilation.SyntaxTrees.Last();
        var model = compilation.GetSemanticModel(tree);
        var symbols = Candidates(model, tree, start);
        Dictionary<string, string> found = [];
        foreach (var symbol in symbols)
        {
            if (symbol.CanBeReferencedByName && symbol.Name.StartsWith(prefix, StringComparison.OrdinalIgnoreCase)) found.TryAdd(symbol.Name, Kind(symbol));
        }
        if (!AfterDot(rest, start))
        {
            foreach (var keyword in SyntaxFacts.GetKeywordKinds().Select(SyntaxFacts.GetText).Where(text => text.StartsWith(prefix) && prefix != ""))
            {
                found.TryAdd(keyword, "keyword");
            }
        }
        // what begins as it was typed comes first
        var matches = found.OrderByDescending(each => each.Key.StartsWith(prefix, StringComparison.Ordinal))
            .ThenBy(each => each.Key, StringComparer.OrdinalIgnoreCase).Take(Most)
            .Select(each => (JsonNode)new JsonObject { ["text"] = each.Key, ["type"] = each.Value });
        return new JsonObject { ["status"] = "ok", ["matches"] = new JsonArray([.. matches]), ["start"] = start, ["end"] = position };
    }

    /// <summary>What stands at a position: signatures of the call there, or what a name means.</summary>
    public static JsonObject Inspect(Submissions submissions, string code, int position)
    {
        var (rest, _) = Packages.Directives(code);
        var compilation = submissions.Ask(rest);
        var tree = compilation.SyntaxTrees.Last();
        var model = compilation.GetSemanticModel(tree);
        var symbols = At(model, tree, position);
        if (symbols.Count == 0) return new JsonObject { ["status"] = "ok", ["data"] = null };
        var text = new StringBuilder();
        foreach (var symbol in symbols.Take(MostSignatures))
        {
            text.AppendLine(symbol.ToDisplayString(Signature));
            if (Summary(symbol) is { } summary) text.AppendLine($"    {summary}");
        }
        if (symbols.Count > MostSignatures) text.AppendLine($"… and {symbols.Count - MostSignatures} more");
        return new JsonObject { ["status"] = "ok", ["data"] = new JsonObject { ["text/plain"] = text.ToString().TrimEnd() } };
    }

    static bool IsWord(char letter) => char.IsLetterOrDigit(letter) || letter is '_' or '@';

    static bool AfterDot(string code, int start) => code.AsSpan(0, start).TrimEnd().EndsWith(".");

    static IEnumerable<ISymbol> Candidates(SemanticModel model, SyntaxTree tree, int start)
    {
        var before = tree.GetRoot().FindToken(Math.Max(0, start - 1));
        while (before.SpanStart >= start && before.SpanStart > 0) before = before.GetPreviousToken();
        if (!before.IsKind(SyntaxKind.DotToken)) return model.LookupSymbols(Math.Min(start, tree.Length));
        var left = before.Parent switch
        {
            MemberAccessExpressionSyntax access => access.Expression,
            QualifiedNameSyntax name => name.Left,
            MemberBindingExpressionSyntax binding => binding.Ancestors().OfType<ConditionalAccessExpressionSyntax>().FirstOrDefault()?.Expression,
            _ => null,
        };
        if (left is null) return [];
        var symbol = model.GetSymbolInfo(left).Symbol;
        var type = model.GetTypeInfo(left).Type;
        if (symbol is null && before.Parent is QualifiedNameSyntax)
        {
            // with a name on the next line, all.⏎var … is the beginning of a declaration: then a variable is before the dot
            var value = SyntaxFactory.ParseExpression(left.ToString());
            symbol = model.GetSpeculativeSymbolInfo(start, value, SpeculativeBindingOption.BindAsExpression).Symbol;
            type = model.GetSpeculativeTypeInfo(start, value, SpeculativeBindingOption.BindAsExpression).Type;
        }
        if (symbol is INamespaceOrTypeSymbol container)
        {
            return model.LookupSymbols(start, container).Where(each => each.IsStatic || each is INamespaceOrTypeSymbol);
        }
        if (type is null or IErrorTypeSymbol) return [];
        if (before.Parent is MemberBindingExpressionSyntax && type is INamedTypeSymbol { OriginalDefinition.SpecialType: SpecialType.System_Nullable_T } nullable)
        {
            type = nullable.TypeArguments[0];
        }
        return model.LookupSymbols(start, type, includeReducedExtensionMethods: true).Where(each => !each.IsStatic || each is IMethodSymbol { IsExtensionMethod: true });
    }

    static IReadOnlyList<ISymbol> At(SemanticModel model, SyntaxTree tree, int position)
    {
        var root = tree.GetRoot();
        if (root.FullSpan.IsEmpty) return [];
        var token = root.FindToken(Math.Clamp(position, 0, Math.Max(0, tree.Length - 1)));
        if (!token.IsKind(SyntaxKind.IdentifierToken) && position > 0) token = root.FindToken(position - 1);
        if (token.IsKind(SyntaxKind.IdentifierToken) && token.Parent is { } named && Symbols(model, named) is { Count: > 0 } found) return found;
        var call = token.Parent?.AncestorsAndSelf().FirstOrDefault(node => node is InvocationExpressionSyntax or BaseObjectCreationExpressionSyntax);
        return call switch
        {
            InvocationExpressionSyntax invocation => model.GetMemberGroup(invocation.Expression) is { Length: > 0 } group ? [.. group] : Symbols(model, invocation),
            BaseObjectCreationExpressionSyntax creation when model.GetTypeInfo(creation).Type is INamedTypeSymbol type => [.. type.InstanceConstructors],
            _ => [],
        };
    }

    static IReadOnlyList<ISymbol> Symbols(SemanticModel model, SyntaxNode node)
    {
        if (node is ExpressionSyntax expression && model.GetMemberGroup(expression) is { Length: > 0 } group) return [.. group];
        var info = model.GetSymbolInfo(node);
        if ((info.Symbol ?? model.GetDeclaredSymbol(node)) is { } symbol) return [symbol];
        return [.. info.CandidateSymbols];
    }

    static string? Summary(ISymbol symbol)
    {
        if (symbol.GetDocumentationCommentXml() is not { Length: > 0 } xml) return null;
        var summary = System.Text.RegularExpressions.Regex.Match(xml, "<summary>(.*?)</summary>", System.Text.RegularExpressions.RegexOptions.Singleline);
        return summary.Success ? string.Join(' ', summary.Groups[1].Value.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries)) : null;
    }

    static string Kind(ISymbol symbol) => symbol switch
    {
        IMethodSymbol => "function",
        IPropertySymbol or IFieldSymbol or IEventSymbol => "property",
        INamespaceSymbol => "module",
        ITypeSymbol => "class",
        ILocalSymbol or IParameterSymbol => "instance",
        _ => "",
    };
}
