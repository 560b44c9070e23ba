// perf's file: samples with the addresses of their stacks, and what was mapped where.
// https://github.com/torvalds/linux/blob/master/tools/perf/Documentation/perf.data-file-format.txt

using System.Text;

namespace Benchbook.Profiling;

/// <summary>Time: ns of the monotonic clock. Addresses: from the leaf to the root, the kernel's first.</summary>
sealed record NativeSample(int Thread, long Time, ulong[] Addresses);

/// <summary>A part of a file that is mapped; memory of no file has a name that is no path.</summary>
sealed record Mapping(ulong Start, ulong Length, string Name);

sealed class PerfData(int pid)
{
    const ulong Magic = 0x32454C4946524550; // PERFILE2
    const int Mmap = 1, Lost = 2, Sample = 9, Mmap2 = 10;
    const int Ip = 1, Tid = 2, Time = 4, Addr = 8, Read = 16, Callchain = 32, Id = 64, Cpu = 128, Period = 256, Stream = 512, Identifier = 65536;
    const ulong Contexts = unchecked((ulong)-4095); // above: marks that say whose addresses follow

    readonly List<Mapping> mappings = [];

    public List<NativeSample> Samples { get; } = [];
    public ulong Missed { get; private set; }

    /// <summary>What a file has of one process. Throws RecordingException where it is no such file.</summary>
    public static PerfData Of(string path, int pid)
    {
        var data = new PerfData(pid);
        try
        {
            using var reader = new BinaryReader(File.OpenRead(path));
            data.ReadAll(reader);
        }
        catch (Exception error) when (error is EndOfStreamException or InvalidDataException or ArgumentException)
        {
            throw new RecordingException($"perf's samples can't be read: {error.Message}");
        }
        return data;
    }

    void ReadAll(BinaryReader reader)
    {
        if (reader.ReadUInt64() != Magic) throw new InvalidDataException("it is no file of perf's");
        reader.BaseStream.Position = 24;
        var (attributes, _, data, size) = (reader.ReadInt64(), reader.ReadInt64(), reader.ReadInt64(), reader.ReadInt64());
        reader.BaseStream.Position = attributes + 24; // after type, size, config and period
        var fields = reader.ReadUInt64();
        if ((fields & Read) != 0) throw new InvalidDataException("its samples have counters in them");
        for (var at = data; at < data + size;)
        {
            reader.BaseStream.Position = at;
            var (type, _, length) = (reader.ReadInt32(), reader.ReadUInt16(), reader.ReadUInt16());
            if (length < 8) throw new InvalidDataException("a record is too short");
            if (type is Sample) Add(reader, fields);
            else if (type is Mmap or Mmap2) Add(reader, at + length, type);
            else if (type is Lost) Missed += LostIn(reader);
            at += length;
        }
    }

    static ulong LostIn(BinaryReader reader)
    {
        reader.ReadUInt64(); // of which event
        return reader.ReadUInt64();
    }

    void Add(BinaryReader reader, long end, int type)
    {
        if (reader.ReadInt32() != pid) return;
        reader.ReadUInt32(); // thread
        var (start, length) = (reader.ReadUInt64(), reader.ReadUInt64());
        reader.ReadUInt64(); // offset in the file
        if (type is Mmap2) reader.BaseStream.Position += 32; // which file, and how it is protected
        var name = Encoding.UTF8.GetString(reader.ReadBytes((int)(end - reader.BaseStream.Position)));
        mappings.Add(new(start, length, name[..Math.Max(0, name.IndexOf('\0'))]));
    }

    void Add(BinaryReader reader, ulong fields)
    {
        foreach (var each in new[] { Identifier, Ip }) if ((fields & (ulong)each) != 0) reader.ReadUInt64();
        if ((fields & Tid) == 0) throw new InvalidDataException("its samples have no threads");
        if (reader.ReadInt32() != pid) return;
        var thread = reader.ReadInt32();
        var time = (fields & Time) != 0 ? reader.ReadInt64() : 0;
        foreach (var each in new[] { Addr, Id, Stream, Cpu, Period }) if ((fields & (ulong)each) != 0) reader.ReadUInt64();
        if ((fields & Callchain) == 0) throw new InvalidDataException("its samples have no stacks");
        List<ulong> addresses = [];
        for (var left = reader.ReadUInt64(); left > 0; left--)
        {
            var address = reader.ReadUInt64();
            if (address < Contexts) addresses.Add(address);
        }
        if (addresses.Count > 0) Samples.Add(new(thread, time, [.. addresses]));
    }

    /// <summary>The name of what is mapped at an address, '' for nothing; the last one to be mapped there counts.</summary>
    public string MappedAt(ulong address) =>
        mappings.FindLast(each => each.Start <= address && address < each.Start + each.Length)?.Name ?? "";
}
