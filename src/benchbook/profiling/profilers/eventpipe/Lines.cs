// Lines of source, from portable PDBs beside an assembly or in it.

using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

namespace Benchbook.Profiling;

/// <summary>Line: of the place; First: of its method.</summary>
readonly record struct Source(string File, int Line, int First);

sealed class Lines : IDisposable
{
    readonly Dictionary<string, MetadataReader?> readers = [];
    readonly List<IDisposable> open = [];

    /// <summary>Where a place is in its source; null where nothing tells.</summary>
    public Source? Of(Place place)
    {
        if (place.Module.Length == 0 || (place.Token & 0xFFFFFF) == 0 || Reader(place.Module) is not { } symbols) return null;
        try
        {
            var handle = MetadataTokens.MethodDefinitionHandle(place.Token & 0xFFFFFF).ToDebugInformationHandle();
            var points = symbols.GetMethodDebugInformation(handle).GetSequencePoints().Where(each => !each.IsHidden).ToArray();
            if (points.Length == 0) return null;
            var at = points.LastOrDefault(each => each.Offset <= place.Offset, points[0]);
            return new(symbols.GetString(symbols.GetDocument(at.Document).Name), at.StartLine, points[0].StartLine);
        }
        catch (BadImageFormatException)
        {
            return null;
        }
    }

    MetadataReader? Reader(string module)
    {
        if (!readers.TryGetValue(module, out var reader)) readers[module] = reader = Open(module);
        return reader;
    }

    MetadataReader? Open(string module)
    {
        try
        {
            var image = new PEReader(File.OpenRead(module));
            open.Add(image);
            if (!image.TryOpenAssociatedPortablePdb(module, path => File.Exists(path) ? File.OpenRead(path) : null, out var provider, out _)) return null;
            open.Add(provider!);
            return provider!.GetMetadataReader();
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or BadImageFormatException)
        {
            return null;
        }
    }

    public void Dispose() => open.ForEach(each => each.Dispose());
}
