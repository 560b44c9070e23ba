using System.Buffers.Binary;
using System.Text;
using static Serializers.MessagePackCode;

namespace Serializers;

/// <summary>Writes values one after the other, each in the shortest form; big-endian.</summary>
ref struct MessagePackWriter(Span<byte> buffer)
{
    readonly Span<byte> buffer = buffer;
    int at = 0;

    public readonly ReadOnlySpan<byte> Written => buffer[..at];

    public void Nil() => Byte(MessagePackCode.Nil);

    public void Map(int count) => Byte((byte)(SmallMap | count)); // ours have three entries; 15 fit

    public void Array(int count)
    {
        if (count < 16) Byte((byte)(SmallArray | count));
        else if (count <= ushort.MaxValue) Short(Array16, (ushort)count);
        else Int(Array32, (uint)count);
    }

    public void Integer(int value)
    {
        if (value is >= -32 and < 128) Byte((byte)value); // the value is its own code
        else if (value is > 0 and <= byte.MaxValue) Pair(Unsigned8, (byte)value);
        else if (value is > 0 and <= ushort.MaxValue) Short(Unsigned16, (ushort)value);
        else if (value > 0) Int(Unsigned32, (uint)value);
        else if (value >= sbyte.MinValue) Pair(Signed8, (byte)value);
        else if (value >= short.MinValue) Short(Signed16, (ushort)value);
        else Int(Signed32, (uint)value);
    }

    /// <summary>Seconds and nanoseconds since 1970 in UTC: the kind of a DateTime is lost.</summary>
    public void Date(DateTime date)
    {
        if (date.Kind == DateTimeKind.Local) date = date.ToUniversalTime();
        var (seconds, ticks) = Math.DivRem(date.Ticks, TimeSpan.TicksPerSecond);
        var (since1970, nanoseconds) = (seconds - SecondsToEpoch, (uint)ticks * 100);
        if (since1970 is >= 0 and <= uint.MaxValue && nanoseconds == 0)
        {
            Pair(Extension4Bytes, Timestamp);
            BinaryPrimitives.WriteUInt32BigEndian(Next(4), (uint)since1970);
        }
        else if (since1970 is >= 0 and < 1L << 34) // 30 bits and 34 bits in 8 bytes
        {
            Pair(Extension8Bytes, Timestamp);
            BinaryPrimitives.WriteUInt64BigEndian(Next(8), (ulong)nanoseconds << 34 | (ulong)since1970);
        }
        else
        {
            Pair(Extension8, 12);
            Byte(Timestamp);
            BinaryPrimitives.WriteUInt32BigEndian(Next(4), nanoseconds);
            BinaryPrimitives.WriteInt64BigEndian(Next(8), since1970);
        }
    }

    public void Text(string? text)
    {
        if (text is null)
        {
            Nil();
            return;
        }

        var count = Encoding.UTF8.GetByteCount(text);
        if (count < 32) Byte((byte)(SmallText | count));
        else if (count <= byte.MaxValue) Pair(Text8, (byte)count);
        else if (count <= ushort.MaxValue) Short(Text16, (ushort)count);
        else Int(Text32, (uint)count);
        Encoding.UTF8.GetBytes(text, Next(count));
    }

    public void Name(ReadOnlySpan<byte> name) // ours are shorter than 32 bytes
    {
        Byte((byte)(SmallText | name.Length));
        name.CopyTo(Next(name.Length));
    }

    Span<byte> Next(int count) => buffer.Slice((at += count) - count, count);

    void Byte(byte value) => buffer[at++] = value;

    void Pair(byte first, byte second)
    {
        Byte(first);
        Byte(second);
    }

    void Short(byte code, ushort value)
    {
        Byte(code);
        BinaryPrimitives.WriteUInt16BigEndian(Next(2), value);
    }

    void Int(byte code, uint value)
    {
        Byte(code);
        BinaryPrimitives.WriteUInt32BigEndian(Next(4), value);
    }
}
