// The static members of .NET Interactive's Kernel that do not need its kernel: asking and showing.

using Benchbook;
using Microsoft.AspNetCore.Html;

namespace Microsoft.DotNet.Interactive;

/// <summary>A text that is not shown when its variable is.</summary>
public sealed class PasswordString(string text)
{
    public string GetClearTextPassword() => text;

    public override string ToString() => new('*', text.Length);
}

public static class Kernel
{
    public static Task<string> GetInputAsync(string prompt = "", string typeHint = "text", CancellationToken cancellationToken = default) =>
        Task.FromResult(Notebook.input(prompt) ?? "");

    public static Task<PasswordString> GetPasswordAsync(string prompt = "") =>
        Task.FromResult(new PasswordString(Notebook.password(prompt) ?? ""));

#pragma warning disable IDE1006 // the name is that of notebooks
    public static DisplayedValue display(object? value, params string[] mimeTypes) => Notebook.display(value, mimeTypes);
#pragma warning restore IDE1006

    public static IHtmlContent HTML(string content) => Notebook.HTML(content);

    public static void CSS(string content) => Notebook.CSS(content);

    public static void Javascript(string scriptContent) => Notebook.Javascript(scriptContent);
}
