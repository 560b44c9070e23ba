// Frames that are no method of .NET: the kernel's are one system call, a library's have the library's name.

using System.Globalization;
using System.Text.RegularExpressions;

namespace Benchbook.Profiling;

/// <summary>Names such frames. A library's functions are not told apart: the runtime's have no symbols.</summary>
sealed partial class Native(PerfData data)
{
    const ulong Kernel = 1UL << 63;
    readonly Dictionary<ulong, string> known = [];
    readonly Lazy<(ulong Address, string Name)[]> symbols = new(Symbols);

    public static bool IsKernel(ulong address) => (address & Kernel) != 0;

    /// <summary>The frame at a place of a stack that is no method; `at` is moved to the last one that it stands for.</summary>
    public ReportFrame Of(ulong[] addresses, ref int at)
    {
        if (!IsKernel(addresses[at])) return OfLibrary(addresses[at]);
        var name = "[kernel]";
        for (; at < addresses.Length && IsKernel(addresses[at]); at++)
        {
            var symbol = Symbol(addresses[at]);
            if (Call().Match(symbol) is { Success: true } call) name = $"{call.Groups[1].Value} (system call)";
            else if (symbol.Contains("page_fault", StringComparison.Ordinal)) name = "[page fault]";
            else if (name is "[kernel]" && Entry().IsMatch(symbol)) name = "[entry of system calls]";
            else if (name is "[kernel]" && Interrupt().IsMatch(symbol)) name = "[interrupt]";
        }
        at--;
        return new(name, "system", "", "", 0, 0, false);
    }

    ReportFrame OfLibrary(ulong address)
    {
        if (!known.TryGetValue(address, out var library)) known[address] = library = data.MappedAt(address);
        var isFile = library.StartsWith('/') && !library.StartsWith("//", StringComparison.Ordinal) && !library.StartsWith("/memfd:", StringComparison.Ordinal);
        return isFile || library is "[vdso]"
            ? new(isFile ? $"[{library.Split('/')[^1]}]" : library, "native", library, "", 0, 0, false)
            : new("[runtime stubs]", "stub", "", "", 0, 0, false);
    }

    string Symbol(ulong address)
    {
        if (known.TryGetValue(address, out var name)) return name;
        var place = Array.BinarySearch(symbols.Value, (address, "\uffff"), Comparer<(ulong, string)>.Create((a, b) => a.Item1.CompareTo(b.Item1)));
        if (place < 0) place = ~place - 1;
        return known[address] = place < 0 ? "" : symbols.Value[place].Name;
    }

    /// <summary>The kernel's functions; none where only root may know where they lie.</summary>
    static (ulong, string)[] Symbols()
    {
        List<(ulong, string)> found = [];
        foreach (var line in File.ReadLines("/proc/kallsyms"))
        {
            var words = line.Split(' ', '\t');
            if (words.Length < 3 || words[1] is not ("t" or "T")) continue;
            var address = ulong.Parse(words[0], NumberStyles.HexNumber, CultureInfo.InvariantCulture);
            if (address > 0) found.Add((address, words[2]));
        }
        found.Sort((a, b) => a.Item1.CompareTo(b.Item1));
        return [.. found];
    }

    [GeneratedRegex(@"^__(?:x64|ia32|arm64|riscv|se|do)_sys_(\w+)")]
    private static partial Regex Call();

    [GeneratedRegex("^entry_SYSCALL|^(?:do|x64|el0)_(?:sys_call|svc|syscall)|^syscall_")]
    private static partial Regex Entry();

    [GeneratedRegex("irq|sysvec|interrupt")]
    private static partial Regex Interrupt();
}
