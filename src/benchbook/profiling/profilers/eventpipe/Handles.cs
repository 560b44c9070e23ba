// Methods that were never compiled by themselves, only put into others, as a minimal API's handler into a method that is made
// at run time: no event has their names. The program's memory tells which they are, their assemblies how they are called.

using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Runtime.InteropServices;
using Microsoft.Diagnostics.Runtime;

namespace Benchbook.Profiling;

static class Handles
{
    static string Access => OperatingSystem.IsWindows() ? "mscordaccore.dll" : OperatingSystem.IsMacOS() ? "libmscordaccore.dylib" : "libmscordaccore.so";

    /// <summary>Name them, where the system lets us look into the program; it goes on meanwhile. Else they stay without.</summary>
    public static void Name(int pid, MethodMap methods)
    {
        var unnamed = methods.Unnamed.ToArray();
        if (unnamed.Length == 0) return;
        try
        {
            using var target = DataTarget.AttachToProcess(pid, suspend: false);
            if (target.ClrVersions.FirstOrDefault() is not { ModuleInfo.FileName: { } core } version) return;
            using var runtime = version.CreateRuntime(Path.Combine(Path.GetDirectoryName(core)!, Access), ignoreMismatch: true);
            using var declared = new Declared();
            foreach (var handle in unnamed)
            {
                if (runtime.GetMethodByHandle(handle) is not { MetadataToken: not 0, Type.Module.Name: { } module } method) continue;
                if (declared.Of(module, method.MetadataToken) is { } name) methods.Add(handle, name, module, method.MetadataToken);
            }
        }
        catch (Exception error) when (error is ClrDiagnosticsException or IOException or UnauthorizedAccessException or ArgumentException or InvalidOperationException or NotSupportedException or ExternalException)
        {
            // another user's, or Linux lets nobody look (kernel.yama.ptrace_scope)
        }
    }
}

/// <summary>The names of methods in assemblies.</summary>
sealed class Declared : IDisposable
{
    readonly Dictionary<string, (PEReader Image, MetadataReader Names)?> readers = [];

    /// <summary>A method by its token; null where the assembly can't be read.</summary>
    public string? Of(string module, int token)
    {
        if (!readers.TryGetValue(module, out var reader)) readers[module] = reader = Open(module);
        if (reader is not { Names: { } names }) return null;
        try
        {
            var method = names.GetMethodDefinition((MethodDefinitionHandle)MetadataTokens.EntityHandle(token));
            return Names.Readable(Full(names, method.GetDeclaringType()), names.GetString(method.Name));
        }
        catch (Exception error) when (error is BadImageFormatException or InvalidCastException)
        {
            return null;
        }
    }

    /// <summary>"Namespace.Outer+Inner", as the events have it.</summary>
    static string Full(MetadataReader names, TypeDefinitionHandle handle)
    {
        var type = names.GetTypeDefinition(handle);
        var name = names.GetString(type.Name);
        if (type.GetDeclaringType() is { IsNil: false } outer) return $"{Full(names, outer)}+{name}";
        var space = names.GetString(type.Namespace);
        return space.Length > 0 ? $"{space}.{name}" : name;
    }

    static (PEReader, MetadataReader)? Open(string module)
    {
        try
        {
            var image = new PEReader(File.OpenRead(module));
            return (image, image.GetMetadataReader());
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or BadImageFormatException or InvalidOperationException)
        {
            return null;
        }
    }

    public void Dispose()
    {
        foreach (var reader in readers.Values) reader?.Image.Dispose();
    }
}
