// What went wrong, in words for the reader: the cell's own lines, not the host's.

using System.Diagnostics;
using System.Reflection;
using System.Text;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Benchbook;

public static partial class Errors
{
    const int MostErrors = 10;
    const string TopLevel = "cell"; // what the code of a cell outside of functions is called

    /// <summary>A reply that tells of an error: its kind, its message, and where it is.</summary>
    public static JsonObject Reply(Exception error)
    {
        error = Unwrap(error);
        var (kind, message, text) = error switch
        {
            CompilationFailed failed => ("CompilationError", failed.Diagnostics.FirstOrDefault()?.GetMessage() ?? "it can't be compiled", Describe(failed)),
            PackageFailed => ("PackageError", error.Message, error.Message),
            BenchmarkRefused => ("BenchmarkError", error.Message, error.Message),
            _ => (WithoutCells(error.GetType().FullName!), WithoutCells(error.Message), Describe(error)),
        };
        return new JsonObject { ["status"] = "error", ["ename"] = kind, ["evalue"] = message, ["traceback"] = text };
    }

    /// <summary>A reply with what is no C# in a file, a class for example, which is not compiled: "" where it can be read.</summary>
    public static JsonObject Syntax(string code, string name)
    {
        var file = CSharpSyntaxTree.ParseText(code, Submissions.Parsing, name);
        var failed = new CompilationFailed(file.GetDiagnostics(), name, code);
        return new JsonObject { ["status"] = "ok", ["errors"] = Describe(failed) };
    }

    static Exception Unwrap(Exception error)
    {
        while (error is AggregateException { InnerExceptions.Count: 1 } or TargetInvocationException { InnerException: not null })
        {
            error = error.InnerException!;
        }
        return error;
    }

    /// <summary>Each error with its line of the cell and a caret under the place.</summary>
    static string Describe(CompilationFailed failed)
    {
        var text = new StringBuilder();
        foreach (var diagnostic in failed.Diagnostics.Take(MostErrors))
        {
            var place = diagnostic.Location.GetMappedLineSpan();
            var at = place.StartLinePosition;
            var line = failed.Line(diagnostic.Location, at.Line)?.Replace('\t', ' ');
            if (line is not null) at = new(at.Line, Math.Min(at.Character, line.Length)); // it may be in what we inserted
            var where = diagnostic.Location.IsInSource ? $"{place.Path}, line {at.Line + 1}, column {at.Character + 1}: " : "";
            text.AppendLine($"{where}error {diagnostic.Id}: {diagnostic.GetMessage()}");
            if (line is not null)
            {
                var width = place.EndLinePosition.Line == at.Line ? Math.Min(place.EndLinePosition.Character, line.Length) - at.Character : line.Length - at.Character;
                text.AppendLine($"    {line}");
                text.AppendLine($"    {new string(' ', at.Character)}{new string('^', Math.Max(1, width))}");
            }
            if (Hint(diagnostic) is { } hint) text.AppendLine($"    → {hint}");
        }
        var more = failed.Diagnostics.Count - MostErrors;
        if (more > 0) text.AppendLine($"… and {more} more {(more == 1 ? "error" : "errors")}");
        return text.ToString().TrimEnd();
    }

    /// <summary>
    /// What the compiler warns of in a cell, a line each, without columns: what lets a loop end (Stop.cs)
    /// or be fast (Loops.cs) may stand before the place.
    /// </summary>
    public static string Warnings(IEnumerable<Diagnostic> diagnostics, string cell)
    {
        var all = diagnostics.Where(each => each.Severity == DiagnosticSeverity.Warning && !each.IsSuppressed && !OfNoUse.Contains(each.Id))
            .Select(each => (Place: each.Location.GetMappedLineSpan(), Text: $"warning {each.Id}: {each.GetMessage()}"))
            .Where(each => each.Place.Path == cell)
            .OrderBy(each => each.Place.StartLinePosition)
            .Select(each => $"{cell}, line {each.Place.StartLinePosition.Line + 1}: {WithoutCells(each.Text)}")
            .Distinct().ToList();
        var more = all.Count - MostErrors;
        return string.Join('\n', more > 0 ? all.Take(MostErrors).Append($"… and {more} more {(more == 1 ? "warning" : "warnings")}") : all);
    }

    // Of a using that is there already, of references to several versions of an assembly, and of ? after a type where null is not checked.
    static readonly string[] OfNoUse = ["CS0105", "CS1701", "CS1702", "CS8632", "CS8669"];

    static string? Hint(Diagnostic diagnostic)
    {
        var message = diagnostic.GetMessage();
        if (diagnostic.Id == Locals.SpanInField) return "a span or its like lasts as long as its cell: declare it among statements alone, with types before or after them, and end the cell with what can be shown";
        if (message.Contains("Microsoft.DotNet.Interactive") || diagnostic.Id is "CS0103" or "CS0117" or "CS0246" or "CS1061" && KernelName().IsMatch(message))
        {
            return "this part of .NET Interactive's kernel object Benchbook does not have. It has Kernel.Root and Kernel.Current with FindKernelByName, "
                + "SendAsync of SubmitCode, SendEditableCode, AddPackageSource and commands of your own, RegisterCommandHandler, and AddDirective of a "
                + "KernelActionDirective; display, Formatter, HTML, PocketView, GetInputAsync and #!share. "
                + "%engine csharp .net-csharp runs cells in an installed .NET Interactive";
        }
        return null;
    }

    [GeneratedRegex(@"'(\w*Kernel|Kernel\w+|IKernel\w+|SubmitCode|SendValue|RequestValue|DisplayValue|Command(?:Succeeded|Failed)|ReturnValueProduced)'")]
    private static partial Regex KernelName();

    /// <summary>An exception with the frames of the cells, and its inner exceptions.</summary>
    public static string Describe(Exception error)
    {
        error = Unwrap(error);
        if (error is CompilationFailed failed) return Describe(failed);
        var text = new StringBuilder();
        for (var each = error; each is not null; each = each.InnerException)
        {
            if (each != error) text.Append("caused by ");
            text.AppendLine(WithoutCells($"{each.GetType().FullName}: {each.Message}"));
            foreach (var frame in Frames(each)) text.AppendLine($"   at {frame}");
        }
        return text.ToString().TrimEnd();
    }

    /// <summary>The frames from where it was thrown to the last one that lies in a cell.</summary>
    static IEnumerable<string> Frames(Exception error)
    {
        var frames = new StackTrace(error, fNeedFileInfo: true).GetFrames();
        var last = Array.FindLastIndex(frames, frame => Cell(frame) is not null);
        var below = "";
        foreach (var frame in frames.Take(last + 1))
        {
            if (frame.GetMethod() is not { } method || IsMachinery(method)) continue;
            var name = Name(method);
            if (name == TopLevel && below == TopLevel) continue; // it only calls the loop that was moved out of it
            below = name;
            yield return Cell(frame) is { } cell ? $"{name} in {Place(frame, cell)}" : name;
        }
    }

    static string? Cell(StackFrame frame) => frame.GetMethod() is { } method ? CellContext.CellOf(method.Module.Assembly) : null;

    /// <summary>A frame's file and line; its cell where there are none, as where an index is out of range.</summary>
    static string Place(StackFrame frame, string cell) =>
        frame.GetFileName() is { Length: > 0 } file && frame.GetFileLineNumber() is > 0 and var line ? $"{Path.GetFileName(file)}, line {line}" : cell;

    static bool IsMachinery(MethodBase method) =>
        method.DeclaringType?.Namespace is "System.Runtime.CompilerServices" or "System.Runtime.ExceptionServices"
        || method.IsDefined(typeof(StackTraceHiddenAttribute)) || method.DeclaringType?.IsDefined(typeof(StackTraceHiddenAttribute)) == true;

    /// <summary>A method as the reader wrote it, without what the compiler makes of it.</summary>
    static string Name(MethodBase method)
    {
        var type = method.DeclaringType;
        var name = method.Name;
        if (type is not null && StateMachine().Match(type.Name) is { Success: true } machine)
        {
            (name, type) = (machine.Groups[1].Value, type.DeclaringType);
        }
        while (type is not null && type.Name.StartsWith("<>")) type = type.DeclaringType;
        if (name == "<Initialize>") return TopLevel;
        if (Local().Match(name) is { Success: true } local)
        {
            name = local.Groups[1].Value;
            if (Loops.IsMoved(name)) return TopLevel;
        }
        else if (name.StartsWith('<')) name = name.Contains("Initialize>b__") ? "lambda" : name.Trim('<').Split('>')[0] + ", lambda";
        var owner = type is null || type.Name.StartsWith("Submission#") ? "" : TypeName(type) + ".";
        var parameters = string.Join(", ", method.GetParameters().Select(parameter => $"{TypeName(parameter.ParameterType)} {parameter.Name}"));
        return name == method.Name ? $"{owner}{name}({parameters})" : owner + name;
    }

    /// <summary>A text in which types that cells declared have their own names, without the cell's.</summary>
    static string WithoutCells(string text) => Submission().Replace(text, "");

    [GeneratedRegex(@"\bSubmission#\d+\+")]
    private static partial Regex Submission();

    static string TypeName(Type type)
    {
        var outer = type.DeclaringType is { } parent && !parent.Name.StartsWith("Submission#") && !type.IsGenericParameter ? TypeName(parent) + "." : "";
        var name = type.Name.Split('`')[0];
        var arguments = type.IsGenericType ? $"<{string.Join(", ", type.GetGenericArguments().Select(TypeName))}>" : "";
        var space = type.Namespace is { } given && given != "System" && outer == "" && !type.IsGenericParameter ? given + "." : "";
        return space + outer + name + arguments;
    }

    [GeneratedRegex(@"^<(.+)>d(?:__\d+)?(?:`\d+)?$")]
    private static partial Regex StateMachine();

    [GeneratedRegex(@"^<.+>g__([^|]+)\|")]
    private static partial Regex Local();
}
