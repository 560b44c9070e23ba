// The commands that public notebooks send to .NET Interactive's kernels, and the magic commands that they add.

using System.Text.Json.Nodes;
using Benchbook;

namespace Microsoft.DotNet.Interactive.Commands
{
    public abstract class KernelCommand(string? targetKernelName = null)
    {
        public string? TargetKernelName { get; } = targetKernelName;
    }

    /// <summary>What a magic command's parameters are read into.</summary>
    public abstract class KernelDirectiveCommand(string? targetKernelName = null) : KernelCommand(targetKernelName);

    public sealed class SubmitCode(string code, string? targetKernelName = null) : KernelCommand(targetKernelName)
    {
        public string Code => code;
    }

    public sealed class AddPackageSource(string packageSource, string? targetKernelName = null) : KernelCommand(targetKernelName)
    {
        public string PackageSource => packageSource;
    }

    /// <summary>A new cell for the reader. Jupyter has no message for that, so its text is shown, to be copied.</summary>
    public sealed class SendEditableCode(string kernelName, string code, string? targetKernelName = null) : KernelCommand(targetKernelName)
    {
        public string KernelName => kernelName;

        public string Code => code;

        internal void Show() => Notebook.display(new Dictionary<string, object?>
        {
            ["text/markdown"] = $"To go on with, as a cell of its own:\n\n````{(kernelName == "markdown" ? "" : $"\n#!{kernelName}")}\n{code}\n````",
            ["text/plain"] = $"To go on with, as a cell of its own:\n\n#!{kernelName}\n{code}",
        });
    }
}

namespace Microsoft.DotNet.Interactive.Directives
{
    public class KernelDirectiveParameter(string name, string? description = null)
    {
        public string Name => name;

        public string? Description { get; set; } = description;

        /// <summary>May its value stand without its name?</summary>
        public bool AllowImplicitName { get; set; }

        /// <summary>Does it stand without a value?</summary>
        public bool Flag { get; set; }

        public bool Required { get; set; }

        public int MaxOccurrences { get; set; } = 1;

        public string? TypeHint { get; set; }

        public KernelDirectiveParameter AddCompletions(Func<IEnumerable<string>> getCompletions) => this;

        /// <summary>As a property: --first-name is firstName.</summary>
        internal string Property => string.Concat(name.TrimStart('-').Split('-').Select((word, i) => i == 0 ? word : char.ToUpperInvariant(word[0]) + word[1..]));
    }

    /// <summary>A magic command that a cell adds with Kernel.Root.AddDirective.</summary>
    public class KernelActionDirective(string name, string? description = null)
    {
        public string Name => name;

        public string? Description { get; set; } = description;

        public bool Hidden { get; set; }

        public ICollection<KernelDirectiveParameter> Parameters { get; set; } = [];

        /// <summary>What stands after the name, by parameters.</summary>
        /// <exception cref="ArgumentException">It does not go with the parameters.</exception>
        internal JsonObject Read(IReadOnlyList<string> words)
        {
            var values = new JsonObject();
            for (var i = 0; i < words.Count; i++)
            {
                var parameter = Parameters.FirstOrDefault(each => each.Name == words[i]);
                if (parameter is { Flag: true }) values[parameter.Property] = true;
                else if (parameter is not null && i + 1 < words.Count) values[parameter.Property] = words[++i];
                else if (parameter is null && Parameters.FirstOrDefault(each => each.AllowImplicitName) is { } implied) values[implied.Property] = words[i];
                else throw new ArgumentException(parameter is null ? $"{name} has no parameter {words[i]}; it has: {Usage}" : $"{name}: {words[i]} needs a value");
            }
            if (Parameters.FirstOrDefault(each => each.Required && !values.ContainsKey(each.Property)) is { } missing)
            {
                throw new ArgumentException($"{name} needs {missing.Name}; its parameters: {Usage}");
            }
            return values;
        }

        string Usage => Parameters.Count == 0 ? "none" : string.Join(", ", Parameters.Select(each => each.Description is { } text ? $"{each.Name} ({text})" : each.Name));
    }
}
