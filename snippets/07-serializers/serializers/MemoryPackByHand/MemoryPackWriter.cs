using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Text;

namespace Serializers;

/// <summary>Writes values one after the other, as they lie in memory: little-endian, of fixed size, without types.</summary>
ref struct MemoryPackWriter(Span<byte> buffer)
{
    readonly Span<byte> buffer = buffer;
    int at = 0;

    public readonly ReadOnlySpan<byte> Written => buffer[..at];

    public void Header(byte members) => buffer[at++] = members;

    public void Integer(int value) => BinaryPrimitives.WriteInt32LittleEndian(Next(4), value);

    public void Date(DateTime date) => // a DateTime is a number of 64 bits: 62 of time, 2 of its kind
        BinaryPrimitives.WriteUInt64LittleEndian(Next(8), Unsafe.BitCast<DateTime, ulong>(date));

    public void Text(string? text)
    {
        if (string.IsNullOrEmpty(text))
        {
            Integer(text is null ? -1 : 0);
            return;
        }

        var count = Encoding.UTF8.GetBytes(text, buffer[(at + 8)..]);
        Integer(~count); // negative: the text is UTF-8
        Integer(text.Length);
        at += count;
    }

    Span<byte> Next(int count) => buffer.Slice((at += count) - count, count);
}
