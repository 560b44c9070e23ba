// Which method an address is in, which line of it, and which methods the compiler put into it.

using System.Buffers.Binary;
using Microsoft.Diagnostics.Tracing.Parsers.Clr;

namespace Benchbook.Profiling;

/// <summary>A method that an address is in. Offset: in its IL, -1 where that is not known.</summary>
readonly record struct Place(string Name, string Module, int Token, int Offset, bool Inlined);

/// <summary>Code of a method: one of its versions. Lines and Ranges are by native offset.</summary>
sealed record Code(ulong Start, uint Size, ulong Method)
{
    public (int Native, int Il)[] Lines { get; set; } = [];
    public (int Native, int Inlinee, int Il)[] Ranges { get; set; } = [];
    public (ulong Method, int Il, int Parent)[] Inlinees { get; set; } = [];
}

sealed class MethodMap
{
    // What the payload of the event begins with: runtime, method, version of its code and its IL, number of this part (the
    // highest bit: it is the last), bytes in it.
    const int MethodAt = 2, PartAt = 26, LengthAt = 30, DataAt = 34, NodeBytes = 20, RangeBytes = 13;
    const uint Last = 1u << 31;

    readonly Dictionary<ulong, Code> byStart = [];
    readonly Dictionary<ulong, Code> latest = []; // of each method
    readonly List<byte> parts = [];
    Code[] codes = [];
    readonly Dictionary<ulong, string> modules = [];
    readonly Dictionary<ulong, (string Name, ulong Module, int Token)> names = [];
    readonly Dictionary<ulong, (string Name, string Module, int Token)> named = []; // of those without events

    public int Count => codes.Length;
    public int WithInlined { get; private set; }

    /// <summary>The path of the core library, '' where it is not known: the runtime's version stands in it.</summary>
    public string Core => modules.Values.FirstOrDefault(each => Path.GetFileName(each) == "System.Private.CoreLib.dll", "");

    public void Add(MethodLoadUnloadVerboseTraceData about)
    {
        var method = (ulong)about.MethodID;
        var name = Names.Readable(about.MethodNamespace, about.MethodName);
        names[method] = (name, (ulong)about.ModuleID, about.MethodToken);
        var start = (ulong)about.MethodStartAddress;
        if (!byStart.TryGetValue(start, out var code) || code.Method != method || code.Size != (uint)about.MethodSize)
        {
            byStart[start] = code = new(start, (uint)about.MethodSize, method);
        }
        latest[method] = code;
    }

    /// <summary>A method that was only put into others.</summary>
    public void Add(ulong method, string name, string module, int token) => named[method] = (name, module, token);

    /// <summary>Those that were put into others and have no name yet.</summary>
    public IEnumerable<ulong> Unnamed =>
        byStart.Values.SelectMany(each => each.Inlinees.Skip(1)).Select(each => each.Method).Where(each => !IsNamed(each)).Distinct();

    bool IsNamed(ulong method) => names.ContainsKey(method) || named.ContainsKey(method);

    public void Add(ModuleLoadUnloadTraceData about) =>
        modules[(ulong)about.ModuleID] = about.ModuleILPath.Length > 0 ? about.ModuleILPath : about.ModuleNativePath;

    /// <summary>Of the code of this method that was added last.</summary>
    public void AddLines(MethodILToNativeMapTraceData about)
    {
        if (!latest.TryGetValue((ulong)about.MethodID, out var code)) return;
        var lines = new (int Native, int Il)[about.CountOfMapEntries];
        for (var i = 0; i < lines.Length; i++) lines[i] = (about.NativeOffset(i), about.ILOffset(i));
        code.Lines = [.. lines.OrderBy(each => each.Native)];
    }

    /// <summary>
    /// What the compiler put into the code of a method that was added last: the payload of JittedMethodRichDebugInfo, in
    /// parts where it is long. It has a tree of methods (method, IL offset of its call, first child, next sibling) and a list
    /// of IL offset, number in the tree, native offset and kind.
    /// </summary>
    public void AddInlined(byte[] payload)
    {
        var part = BinaryPrimitives.ReadUInt32LittleEndian(payload.AsSpan(PartAt));
        if ((part & ~Last) == 0) parts.Clear();
        parts.AddRange(payload.AsSpan(DataAt, (int)BinaryPrimitives.ReadUInt32LittleEndian(payload.AsSpan(LengthAt))));
        var method = BinaryPrimitives.ReadUInt64LittleEndian(payload.AsSpan(MethodAt));
        if ((part & Last) == 0 || !latest.TryGetValue(method, out var code)) return;
        var data = parts.ToArray();
        var (nodes, ranges) = (Number(data, 0), Number(data, 4));
        if (data.Length < 8 + nodes * NodeBytes + ranges * RangeBytes) return;
        code.Inlinees = Tree(data.AsSpan(8, nodes * NodeBytes), nodes);
        code.Ranges = new (int, int, int)[ranges];
        for (var (i, at) = (0, 8 + nodes * NodeBytes); i < ranges; (i, at) = (i + 1, at + RangeBytes))
        {
            code.Ranges[i] = (Number(data, at + 8), Math.Min(Number(data, at + 4), nodes - 1), Number(data, at));
        }
        WithInlined++;
    }

    static (ulong Method, int Il, int Parent)[] Tree(ReadOnlySpan<byte> data, int nodes)
    {
        var tree = new (ulong Method, int Il, int Parent)[nodes];
        for (var i = 0; i < nodes; i++)
        {
            var node = data.Slice(i * NodeBytes, NodeBytes);
            tree[i].Method = BinaryPrimitives.ReadUInt64LittleEndian(node);
            tree[i].Il = BinaryPrimitives.ReadInt32LittleEndian(node[8..]);
        }
        for (var i = 0; i < nodes; i++)
        {
            var child = Number(data, i * NodeBytes + 12);
            for (var left = nodes; child > 0 && child < nodes && left > 0; left--)
            {
                tree[child].Parent = i;
                child = Number(data, child * NodeBytes + 16);
            }
        }
        return tree;
    }

    static int Number(ReadOnlySpan<byte> data, int at) => BinaryPrimitives.ReadInt32LittleEndian(data[at..]);

    public void Sort() => codes = [.. byStart.Values.OrderBy(each => each.Start)];

    /// <summary>The methods an address is in, those that were put into others first; none where it is in no method.</summary>
    public IEnumerable<Place> Find(ulong address)
    {
        var (low, high) = (0, codes.Length - 1);
        while (low <= high)
        {
            var middle = (low + high) / 2;
            if (codes[middle].Start <= address) low = middle + 1;
            else high = middle - 1;
        }
        if (high < 0 || address >= codes[high].Start + codes[high].Size) yield break;
        var code = codes[high];
        var native = (int)(address - code.Start);
        var range = Array.FindLastIndex(code.Ranges, each => each.Native <= native);
        if (range < 0)
        {
            var line = Array.FindLastIndex(code.Lines, each => each.Native <= native);
            yield return Of(code.Method, line < 0 ? -1 : code.Lines[line].Il, false);
            yield break;
        }
        var (_, inlinee, il) = code.Ranges[range];
        for (; inlinee > 0; (il, inlinee) = (code.Inlinees[inlinee].Il, code.Inlinees[inlinee].Parent))
        {
            if (IsNamed(code.Inlinees[inlinee].Method)) yield return Of(code.Inlinees[inlinee].Method, il, true);
        }
        yield return Of(code.Method, il, false);
    }

    Place Of(ulong method, int il, bool inlined)
    {
        if (named.TryGetValue(method, out var other)) return new(other.Name, other.Module, other.Token, il, inlined);
        var (name, module, token) = names[method];
        return new(name, modules.GetValueOrDefault(module, ""), token, il, inlined);
    }
}
