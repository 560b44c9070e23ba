using System.Buffers.Binary;
using System.Text;

namespace Serializers;

/// <summary>Reads values one after the other; nothing in the data says what they are.</summary>
ref struct MemoryPackReader(ReadOnlySpan<byte> data)
{
    public const byte Null = 255;

    static readonly UTF8Encoding Utf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    readonly ReadOnlySpan<byte> data = data;
    int at = 0;

    public readonly bool AtEnd => at == data.Length;

    public readonly MalformedDataException Malformed(string problem) => new(problem, at);

    /// <summary>The length of an array; -1 where there is none.</summary>
    public int Count()
    {
        var count = Integer();
        if (count < -1) throw Malformed("the length of an array is negative");
        if (count > data.Length - at) throw Malformed("the array is longer than the data"); // or 4 bytes could ask for 16 GB
        return count;
    }

    public byte Header() => Next(1)[0];

    public int Integer() => BinaryPrimitives.ReadInt32LittleEndian(Next(4));

    public DateTime Date()
    {
        var bits = BinaryPrimitives.ReadUInt64LittleEndian(Next(8));
        var (ticks, kind) = ((long)(bits & (1UL << 62) - 1), (int)(bits >> 62));
        if (ticks > DateTime.MaxValue.Ticks) throw Malformed("the date is not in the years 1 to 9999");
        return new DateTime(ticks, (DateTimeKind)Math.Min(kind, 2)); // 3: local, in the hour that comes twice
    }

    public string? Text()
    {
        var length = Integer();
        if (length == -1) return null;
        if (length >= 0) return Encoding.Unicode.GetString(Next(2L * length)); // UTF-16, the other form

        var characters = Integer();
        var text = Utf8.GetString(Next(~length));
        return characters == -1 || characters == text.Length ? text : throw Malformed("the text has another length");
    }

    ReadOnlySpan<byte> Next(long count)
    {
        if (count > data.Length - at) throw Malformed("the data is cut off");
        at += (int)count;
        return data.Slice(at - (int)count, (int)count);
    }
}
