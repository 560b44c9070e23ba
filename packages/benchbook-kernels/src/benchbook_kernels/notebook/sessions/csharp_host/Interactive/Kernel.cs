// The part of .NET Interactive's kernel object that public notebooks use: asking and showing, sending a
// command to a kernel that is found by its name, and adding magic commands.
//
// A "kernel" here is a name: code for csharp runs in this session, code for the others is shown in
// the page, as the lines #!html, #!markdown, #!mermaid and #!javascript show it.

using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization;
using System.Text.RegularExpressions;
using Benchbook;
using Microsoft.AspNetCore.Html;
using Microsoft.DotNet.Interactive.Commands;
using Microsoft.DotNet.Interactive.Directives;

namespace Microsoft.DotNet.Interactive;

/// <summary>A text that is not shown when its variable is.</summary>
public sealed class PasswordString(string text)
{
    public string GetClearTextPassword() => text;

    public override string ToString() => new('*', text.Length);
}

/// <summary>What SendAsync gives back when a command has been carried out; where it fails, SendAsync does.</summary>
public sealed record KernelCommandResult(KernelCommand Command);

public delegate Task KernelCommandInvocation(KernelCommand command, KernelInvocationContext context);

public class Kernel
{
    const string Own = "csharp", Page = "javascript";

    /// <summary>What kernels show in the page, and as what.</summary>
    static readonly Dictionary<string, string> Shown = new()
    {
        ["html"] = "text/html",
        ["markdown"] = "text/markdown",
        ["mermaid"] = "text/vnd.mermaid",
    };

    static readonly CompositeKernel Composite = new();
    static readonly List<Kernel> All = [new(Own), .. Shown.Keys.Append(Page).Select(name => new Kernel(name)), Composite];
    static readonly Dictionary<string, (KernelActionDirective Directive, Func<string, JsonObject, Task> Invoke)> Added = [];

    readonly Dictionary<Type, KernelCommandInvocation> handlers = [];

    internal Kernel(string name) => Name = name;

    public string Name { get; }

    public static Kernel Root => Composite;

    public static Kernel Current => All[0];

    public Kernel RootKernel => Root;

    public override string ToString() => Name;

    /// <exception cref="ArgumentException">There is none of this name.</exception>
    public Kernel FindKernelByName(string name) => All.Find(kernel => kernel.Name == name)
        ?? throw new ArgumentException($"Benchbook has no kernel '{name}': Kernel.Root reaches {string.Join(", ", All)}. A line #!{name} or #!share may do what is wanted.");

    public IEnumerable<Kernel> FindKernels(Func<Kernel, bool> predicate) => All.Where(predicate);

    public Task<KernelCommandResult> SubmitCodeAsync(string code) => SendAsync(new SubmitCode(code));

    /// <summary>Carries a command out; one of a cell's own goes to its handler, else to the page's scripts.</summary>
    public async Task<KernelCommandResult> SendAsync(KernelCommand command, CancellationToken cancellationToken = default)
    {
        var target = FindKernelByName(command.TargetKernelName ?? (this == Composite ? Own : Name));
        var handler = target.handlers.GetValueOrDefault(command.GetType()) ?? Composite.handlers.GetValueOrDefault(command.GetType());
        if (handler is not null) await handler(command, KernelInvocationContext.For(command));
        else if (command is SubmitCode { Code: var code }) await target.Run(code);
        else if (command is AddPackageSource { PackageSource: var source }) await Notebook.Run($"#i \"nuget: {source}\"");
        else if (command is SendEditableCode cell) cell.Show();
        else if (target.Name == Page) Notebook.Javascript(Handling(command));
        else throw new NotSupportedException($"the kernel {target} has no handler for {command.GetType().Name}: RegisterCommandHandler adds one");
        return new KernelCommandResult(command);
    }

    /// <summary>A script that gives a command to the handler that a script of the page registered (page_kernel.js).</summary>
    static string Handling(KernelCommand command)
    {
        var type = command.GetType().Name;
        var envelope = new JsonObject { ["commandType"] = type, ["command"] = JsonSerializer.SerializeToNode(command, command.GetType(), JsonSerializerOptions.Web) };
        return $"""
            if (!window.benchbookKernel) throw new Error("no script of this page handles {type}: run the cell that registers its handler first");
            window.benchbookKernel.handle({envelope.ToJsonString(JsonSerializerOptions.Web)});
            """;
    }

    async Task Run(string code)
    {
        if (Shown.TryGetValue(Name, out var type)) Notebook.display(code, type);
        else if (Name == Page) Notebook.Javascript(code);
        else await Notebook.Run(code);
    }

    /// <summary>Nothing is to be done for what goes to the page: it takes commands of any type.</summary>
    public void RegisterCommandType<TCommand>() where TCommand : KernelCommand
    {
    }

    public void RegisterCommandHandler<TCommand>(Func<TCommand, KernelInvocationContext, Task> handler) where TCommand : KernelCommand =>
        handlers[typeof(TCommand)] = (command, context) => handler((TCommand)command, context);

    /// <summary>Adds a magic command, #!name, to the notebook.</summary>
    public void AddDirective(KernelActionDirective directive, KernelCommandInvocation handler) =>
        Added[directive.Name] = (directive, (line, _) =>
        {
            var command = new SubmitCode(line);
            return handler(command, KernelInvocationContext.For(command));
        }
    );

    /// <summary>Adds a magic command whose parameters become the properties of a command.</summary>
    public void AddDirective<TCommand>(KernelActionDirective directive, Func<TCommand, KernelInvocationContext, Task> handler) where TCommand : KernelCommand =>
        Added[directive.Name] = (directive, (_, values) =>
        {
            var command = values.Deserialize<TCommand>(Lenient)!;
            return handler(command, KernelInvocationContext.For(command));
        }
    );

    static readonly JsonSerializerOptions Lenient = new(JsonSerializerOptions.Web)
    {
        IncludeFields = true,
        Converters = { new JsonStringEnumConverter(), new TruthConverter() },
    };

    /// <summary>Carries out a #! line that a cell has added; false where none has.</summary>
    internal static async Task<bool> TryDirective(string line)
    {
        var words = Words(line);
        if (!Added.TryGetValue(words[0], out var added)) return false;
        await added.Invoke(line, added.Directive.Read(words[1..]));
        return true;
    }

    static List<string> Words(string line) =>
        [.. Regex.Matches(line, """ "([^"]*)"|\S+""", RegexOptions.IgnorePatternWhitespace).Select(word => word.Groups[1].Success ? word.Groups[1].Value : word.Value)];

    public static Task<string> GetInputAsync(string prompt = "", string typeHint = "text", CancellationToken cancellationToken = default) =>
        Task.FromResult(Notebook.input(prompt));

    public static Task<PasswordString> GetPasswordAsync(string prompt = "") =>
        Task.FromResult(new PasswordString(Notebook.password(prompt)));

#pragma warning disable IDE1006 // the name is that of notebooks
    public static DisplayedValue display(object? value, params string[] mimeTypes) => Notebook.display(value, mimeTypes);
#pragma warning restore IDE1006

    public static IHtmlContent HTML(string content) => Notebook.HTML(content);

    public static void CSS(string content) => Notebook.CSS(content);

    public static void Javascript(string scriptContent) => Notebook.Javascript(scriptContent);

    /// <summary>Takes true and false as they are typed after a parameter.</summary>
    sealed class TruthConverter : JsonConverter<bool>
    {
        public override bool Read(ref Utf8JsonReader reader, Type type, JsonSerializerOptions options) =>
            reader.TokenType == JsonTokenType.String ? bool.Parse(reader.GetString()!) : reader.GetBoolean();

        public override void Write(Utf8JsonWriter writer, bool value, JsonSerializerOptions options) => writer.WriteBooleanValue(value);
    }
}

/// <summary>The kernel of the notebook, which all others are in.</summary>
public sealed class CompositeKernel : Kernel
{
    internal CompositeKernel() : base(".NET")
    {
    }
}
