// Finds the cells that would have BenchmarkDotNet measure in a session, which it can't.

using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Benchbook;

/// <summary>A cell that starts BenchmarkDotNet; the message says what to do instead.</summary>
public sealed class BenchmarkRefused(string runner, FileLinePositionSpan place) : Exception(
    $"{place.Path}, line {place.StartLinePosition.Line + 1}: {runner} can't measure what is in a notebook's session: "
    + "BenchmarkDotNet builds a project of its own, and a cell has none\n"
    + "  → write the class with its [Benchmark] methods in a cell that begins with %%benchmark, which builds and runs it");

static class Benchmarks
{
    const string Assembly = "BenchmarkDotNet";

    /// <summary>
    /// It would write a project beside the notebook that can't be built. What runs in the session's own process (InProcess
    /// in a job or an attribute) needs none.
    /// </summary>
    /// <exception cref="BenchmarkRefused">The code uses a runner of BenchmarkDotNet.</exception>
    public static void Refuse(CSharpCompilation compilation)
    {
        if (compilation.ReferencedAssemblyNames.All(reference => reference.Name != Assembly)) return;
        foreach (var tree in compilation.SyntaxTrees)
        {
            var model = compilation.GetSemanticModel(tree);
            foreach (var name in tree.GetRoot().DescendantNodes().OfType<SimpleNameSyntax>())
            {
                if (model.GetSymbolInfo(name).Symbol is not IMethodSymbol { ContainingType: { Name: "BenchmarkRunner" or "BenchmarkSwitcher" } runner }) continue;
                if (runner.ContainingAssembly.Name == Assembly) throw new BenchmarkRefused(runner.Name, name.GetLocation().GetMappedLineSpan());
            }
        }
    }
}
