// #r "nuget: …": restored by the .NET SDK, with the ordinary NuGet configuration.

using System.Diagnostics;
using System.Security;
using System.Text;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;

namespace Benchbook;

/// <summary>A package that can't be had; the message says which, why, and what to do.</summary>
public sealed class PackageFailed(string message) : Exception(message);

/// <summary>
/// A line of a cell: a package (version "" is the newest that this .NET can use) or a source of packages. Lost: what the
/// line holds besides, which would not be run.
/// </summary>
public sealed record PackageDirective(string Name, string Version, string? Source, string Lost);

/// <summary>All packages that cells have named so far, resolved together.</summary>
public sealed partial class Packages(Settings settings)
{
    readonly Lock gate = new();
    readonly Dictionary<string, string> versions = new(StringComparer.OrdinalIgnoreCase);
    readonly Dictionary<string, string> limits = new(StringComparer.OrdinalIgnoreCase); // versions from these on need a newer .NET
    readonly List<string> sources = [];
    Dictionary<string, string> assemblies = new(StringComparer.OrdinalIgnoreCase);
    List<string> natives = [];

    [GeneratedRegex("""^[ \t]*#(?<kind>[ri])[ \t]+(?:"nuget:(?<quoted>[^"\n]*)"(?<after>[^\n]*)|nuget:(?<bare>[^"\n]*))$""", RegexOptions.Multiline)]
    private static partial Regex Line();

    // a package and its version, or a source, without quotes
    [GeneratedRegex(@"^[^;]*?(?=\s*(?:;|\s//|$))")]
    private static partial Regex Bare();

    [GeneratedRegex(@"^[\s;]*(?://.*|/\*.*\*/\s*)?$")]
    private static partial Regex Nothing();

    [GeneratedRegex(@"error (NU\d+|[A-Z]+\d+)?:? ?(.*?)(?: \[[^\]]*\])?$", RegexOptions.Multiline)]
    private static partial Regex ErrorLine();

    [GeneratedRegex(@"NU1202: Package (\S+) (\S+) is not compatible")]
    private static partial Regex Incompatible();

    /// <summary>A cell without its package lines (their text is blank), and what they say.</summary>
    public static (string Code, IReadOnlyList<PackageDirective> Wanted) Directives(string code)
    {
        List<PackageDirective> wanted = [];
        var rest = Line().Replace(code, match =>
        {
            var bare = match.Groups["bare"].Value;
            var (text, after) = match.Groups["quoted"] is { Success: true } quoted
                ? (quoted.Value, match.Groups["after"].Value)
                : (Bare().Match(bare).Value, bare[Bare().Match(bare).Length..]);
            var lost = Nothing().IsMatch(after) ? "" : after.TrimStart(' ', '\t', ';').TrimEnd();
            var parts = text.Split(',', 2, StringSplitOptions.TrimEntries);
            wanted.Add(match.Groups["kind"].Value == "i" ? new("", "", text.Trim(), lost) : new(parts[0], parts.ElementAtOrDefault(1) ?? "", null, lost));
            return new string(' ', match.Length);
        });
        return (rest, wanted);
    }

    /// <summary>
    /// Adds packages; the paths of the assemblies that cells may now refer to, and what their reader should know.
    /// </summary>
    /// <exception cref="PackageFailed">A package or a version of it can't be found, or code stands on its line.</exception>
    public (IReadOnlyList<string> Assemblies, IReadOnlyList<string> Notes) Add(IReadOnlyList<PackageDirective> wanted, CancellationToken interrupted)
    {
        if (wanted.FirstOrDefault(line => line.Lost != "") is { } line)
        {
            throw new PackageFailed($"{(line.Source is null ? "#r" : "#i")}: '{line.Lost}' on the same line would be lost\n  → write it on the next line");
        }
        var before = new Dictionary<string, string>(versions, StringComparer.OrdinalIgnoreCase);
        var known = sources.Count;
        foreach (var (name, version, source, _) in wanted)
        {
            if (source is not null) sources.Add(source);
            else if (version != "" || !versions.ContainsKey(name)) versions[name] = version;
        }
        try
        {
            if (versions.Count == 0) return ([], []);
            var (assemblies, others) = Restore(interrupted);
            var notes = from package in wanted
                        where package.Version != "" && !package.Version.AsSpan().ContainsAny("[(*") && others.ContainsKey(package.Name)
                        select $"#r: {package.Name} {others[package.Name]} was restored, as no source has {package.Version}, which was asked for";
            return (assemblies, [.. notes]);
        }
        catch (Exception error)
        {
            sources.RemoveRange(known, sources.Count - known);
            // one of an earlier cell that can't be reached would fail every cell after this
            if (error is PackageFailed) sources.RemoveAll(source => error.Message.Contains(source));
            versions.Clear();
            foreach (var (name, version) in before) versions[name] = version;
            throw;
        }
    }

    (List<string> Assemblies, Dictionary<string, string> Others) Restore(CancellationToken interrupted)
    {
        var folder = Directory.CreateDirectory(Path.Combine(settings.Scratch, $"packages-{Environment.ProcessId}"));
        try
        {
            // nothing of a project above is for this one
            foreach (var name in new[] { "Directory.Build.props", "Directory.Build.targets", "Directory.Packages.props" })
            {
                File.WriteAllText(Path.Combine(folder.FullName, name), "<Project />");
            }
            var project = Path.Combine(folder.FullName, "packages.csproj");
            string[] arguments =
            [
                "msbuild", project, "-restore", "-t:ResolveAssemblyReferences", "-nologo", "-v:quiet", "-nodeReuse:false",
                "-getItem:ReferencePath", "-getItem:ReferenceCopyLocalPaths",
            ];
            while (true)
            {
                File.WriteAllText(project, Project());
                var (done, output) = Run(arguments, folder.FullName, interrupted);
                if (done) return (Take(JsonNode.Parse(output)!["Items"]!), Others(Path.Combine(folder.FullName, "obj", "project.assets.json")));
                if (!TakeOlder(output)) throw new PackageFailed(Explain(output));
            }
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    /// <summary>The versions that NuGet chose where they are not the ones that were asked for, by package.</summary>
    static Dictionary<string, string> Others(string file)
    {
        var assets = JsonNode.Parse(File.ReadAllText(file))!;
        var restored = assets["libraries"]!.AsObject().Select(library => library.Key.Split('/')).ToDictionary(parts => parts[0], parts => parts[1], StringComparer.OrdinalIgnoreCase);
        var asked = assets["project"]!["frameworks"]!.AsObject().SelectMany(framework => framework.Value!["dependencies"]?.AsObject() ?? []);
        return asked.Where(package => restored.TryGetValue(package.Key, out var version) && (string?)package.Value!["version"] != $"[{version}, )")
            .ToDictionary(package => package.Key, package => restored[package.Key], StringComparer.OrdinalIgnoreCase);
    }

    /// <summary>Are there packages without a stated version whose newest needs a newer .NET? Then older ones are to be taken.</summary>
    bool TakeOlder(string output)
    {
        var changed = false;
        foreach (Match match in Incompatible().Matches(output))
        {
            var (name, version) = (match.Groups[1].Value, match.Groups[2].Value);
            var major = version.Split('.')[0];
            var limit = major == "0" ? version : $"{major}.0.0"; // what asks for less is in the major version before
            if (versions.GetValueOrDefault(name) != "" || limits.GetValueOrDefault(name) == limit) continue;
            limits[name] = limit;
            changed = true;
        }
        return changed;
    }

    string Project()
    {
        var packages = versions.Select(package =>
            $"""<PackageReference Include="{SecurityElement.Escape(package.Key)}" Version="{SecurityElement.Escape(Version(package.Key, package.Value))}" />""");
        return $"""
            <Project Sdk="Microsoft.NET.Sdk">
              <PropertyGroup>
                <TargetFramework>net{Environment.Version.Major}.0</TargetFramework>
                <RuntimeIdentifier>{System.Runtime.InteropServices.RuntimeInformation.RuntimeIdentifier}</RuntimeIdentifier>
                <SelfContained>false</SelfContained>
                <UseAppHost>false</UseAppHost>
                <CopyLocalLockFileAssemblies>true</CopyLocalLockFileAssemblies>
                <RestoreAdditionalProjectSources>{SecurityElement.Escape(string.Join(";", sources))}</RestoreAdditionalProjectSources>
                <NuGetAudit>false</NuGetAudit>
              </PropertyGroup>
              <ItemGroup>
                <FrameworkReference Include="Microsoft.AspNetCore.App" />
                {string.Join("\n    ", packages)}
              </ItemGroup>
            </Project>
            """;
    }

    string Version(string name, string stated)
    {
        if (stated != "") return stated;
        return limits.TryGetValue(name, out var limit) ? $"[*,{limit})" : "*";
    }

    static (bool Done, string Output) Run(string[] arguments, string folder, CancellationToken interrupted)
    {
        var start = new ProcessStartInfo("dotnet", arguments)
        {
            WorkingDirectory = folder,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            RedirectStandardInput = true,
            Environment = { ["TMPDIR"] = folder }, // what it leaves goes with the folder
        };
        using var process = Process.Start(start)!;
        using var stop = interrupted.Register(() => process.Kill(entireProcessTree: true));
        var errors = process.StandardError.ReadToEndAsync(CancellationToken.None);
        var output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        interrupted.ThrowIfCancellationRequested();
        return process.ExitCode == 0 ? (true, output) : (false, output + errors.Result);
    }

    string Explain(string output)
    {
        var error = ErrorLine().Match(output);
        var named = versions.Keys.Where(name => error.Value.Contains(name, StringComparison.OrdinalIgnoreCase)).MaxBy(name => name.Length);
        var what = named is null ? "The packages can't be restored" : $"The package {named} can't be restored";
        var why = error.Success ? $"{error.Groups[1].Value}: {error.Groups[2].Value.Trim()}" : output.Trim();
        return $"{what}: {why}\n  → check the name and the version on nuget.org, and the network; "
            + "#i \"nuget: https://…\" adds a source; the session is as it was before";
    }

    List<string> Take(JsonNode items)
    {
        List<string> compile = [];
        foreach (var item in items["ReferencePath"]!.AsArray())
        {
            // what extensions of .NET Interactive bring has the names of our own Formatter, display and HTML
            if ((string?)item!["Filename"] is { } file && file.StartsWith("Microsoft.DotNet.Interactive")) continue;
            if ((string?)item["NuGetPackageId"] is { Length: > 0 } && (string?)item["FrameworkReferenceName"] is null or "")
            {
                compile.Add((string)item["FullPath"]!);
            }
        }
        Dictionary<string, string> run = new(StringComparer.OrdinalIgnoreCase);
        List<string> native = [];
        foreach (var item in items["ReferenceCopyLocalPaths"]!.AsArray())
        {
            var path = (string)item!["FullPath"]!;
            if ((string?)item["AssetType"] == "native") native.Add(path);
            else if (path.EndsWith(".dll", StringComparison.OrdinalIgnoreCase) && (string?)item["AssetType"] != "resources")
            {
                run[Path.GetFileNameWithoutExtension(path)] = path;
            }
        }
        lock (gate) (assemblies, natives) = (run, native);
        return compile;
    }

    /// <summary>The file of a package's assembly, null where no package has it.</summary>
    public string? Find(string name)
    {
        lock (gate) return assemblies.GetValueOrDefault(name);
    }

    /// <summary>The file of a package's native library, null where no package has it.</summary>
    public string? FindNative(string name)
    {
        lock (gate)
        {
            return natives.FirstOrDefault(path => Path.GetFileName(path) == name || Path.GetFileNameWithoutExtension(path) is var bare && (bare == name || bare == "lib" + name));
        }
    }
}
