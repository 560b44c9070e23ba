// Splits a cell into a library, for what scripts can't declare, and the script that refers to it.

using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Benchbook;

/// <summary>
/// The part of a cell that is compiled as a library. Required: it holds namespaces, which a script
/// can't hold in any case; otherwise extension classes, which may yet use what cells declared.
/// </summary>
sealed record LibraryPart(SyntaxTree Tree, HashSet<string> Usings, bool Required);

static class Parts
{
    /// <summary>
    /// The library of a cell, null where it needs none, and the rest, in which the library's text is
    /// blank so that lines and columns stay as they are.
    /// </summary>
    public static (LibraryPart? Library, string Script) Split(string code, string name)
    {
        if (!code.Contains("namespace") && !code.Contains("static")) return (null, code);
        var tree = CSharpSyntaxTree.ParseText(code, Submissions.Parsing, name, Encoding.UTF8);
        var root = tree.GetCompilationUnitRoot();
        var namespaces = root.Members.OfType<BaseNamespaceDeclarationSyntax>().Any();
        if (!namespaces && !root.Members.Any(IsExtensionClass)) return (null, code);
        // Beside a namespace, the types move with it; without one, only the extension classes do.
        var moved = root.Members.Where(member => namespaces ? member is not GlobalStatementSyntax : IsExtensionClass(member)).ToList();
        var stays = root.Members.Where(member => !moved.Contains(member)).Select(member => member.FullSpan);
        var library = Published(Blank(code, stays), name);
        var usings = root.Usings.Select(Text).ToHashSet();
        var script = Blank(code, moved.Select(member => member.Span));
        return (new LibraryPart(library, usings, namespaces), script);
    }

    /// <summary>A library's text, with its types public: scripts are other assemblies.</summary>
    public static SyntaxTree Published(string text, string name)
    {
        var tree = CSharpSyntaxTree.ParseText(text, Submissions.Parsing, name, Encoding.UTF8);
        return tree.WithRootAndOptions(new Publisher().Visit(tree.GetRoot())!, Submissions.Parsing);
    }

    /// <summary>The types that a library's text declares, but those within them, and where.</summary>
    public static IEnumerable<(string Name, TextSpan Span)> Types(SyntaxTree tree)
    {
        var model = CSharpCompilation.Create("names", [tree]).GetSemanticModel(tree);
        return from node in tree.GetRoot().DescendantNodes(node => node is not BaseTypeDeclarationSyntax)
               where node is BaseTypeDeclarationSyntax or DelegateDeclarationSyntax
               let type = model.GetDeclaredSymbol(node)!
               select ($"{type.ContainingNamespace}.{type.MetadataName}", node.Span);
    }

    /// <summary>A library's text without some types and usings, null where no type is left.</summary>
    public static SyntaxTree? Without(SyntaxTree tree, IReadOnlySet<string> types, IReadOnlyCollection<string> usings)
    {
        var declared = Types(tree).ToList();
        if (declared.All(type => types.Contains(type.Name))) return null;
        var gone = declared.Where(type => types.Contains(type.Name)).Select(type => type.Span);
        var given = tree.GetCompilationUnitRoot().Usings.Where(directive => usings.Contains(Text(directive))).Select(directive => directive.Span);
        return Published(Blank(tree.ToString(), gone.Concat(given)), tree.FilePath);
    }

    /// <summary>A using as cells' usings are compared; a global one is no more than another in a session.</summary>
    public static string Text(UsingDirectiveSyntax directive) =>
        directive.WithGlobalKeyword(default).WithoutTrivia().NormalizeWhitespace().ToString();

    static bool IsExtensionClass(MemberDeclarationSyntax member) =>
        member is ClassDeclarationSyntax type && type.Modifiers.Any(SyntaxKind.StaticKeyword) && type.Members.Any(IsExtension);

    static bool IsExtension(MemberDeclarationSyntax member) =>
        member.IsKind(SyntaxKind.ExtensionBlockDeclaration)
        || member is MethodDeclarationSyntax { ParameterList.Parameters: [var first, ..] } && first.Modifiers.Any(SyntaxKind.ThisKeyword);

    /// <summary>A text with spaces in some places; lines stay lines.</summary>
    public static string Blank(string code, IEnumerable<TextSpan> spans)
    {
        var text = new StringBuilder(code);
        foreach (var span in spans)
        {
            for (var i = span.Start; i < span.End; i++)
            {
                if (text[i] is not ('\r' or '\n')) text[i] = ' ';
            }
        }
        return text.ToString();
    }

    /// <summary>
    /// Makes the types of a library public, so that cells can use them. The keyword has no width (or
    /// the text of the one that it replaces), so that errors still point at the right column.
    /// </summary>
    sealed class Publisher : CSharpSyntaxRewriter
    {
        static readonly SyntaxKind[] Access =
        [
            SyntaxKind.PublicKeyword, SyntaxKind.InternalKeyword, SyntaxKind.FileKeyword,
        ];

        public override SyntaxNode? Visit(SyntaxNode? node)
        {
            if (node is not (BaseTypeDeclarationSyntax or DelegateDeclarationSyntax)) return base.Visit(node);
            var member = (MemberDeclarationSyntax)node;
            var access = member.Modifiers.FirstOrDefault(modifier => Access.Contains(modifier.Kind()));
            if (access.IsKind(SyntaxKind.PublicKeyword) || access.IsKind(SyntaxKind.FileKeyword)) return member;
            if (access.IsKind(SyntaxKind.InternalKeyword))
            {
                var renamed = SyntaxFactory.Token(access.LeadingTrivia, SyntaxKind.PublicKeyword, access.Text, access.ValueText, access.TrailingTrivia);
                return member.WithModifiers(member.Modifiers.Replace(access, renamed));
            }
            return member.WithModifiers(member.Modifiers.Insert(0, SyntaxFactory.MissingToken(SyntaxKind.PublicKeyword)));
        }
    }
}
