using System.Buffers.Binary;
using System.Text;
using static Serializers.MessagePackCode;

namespace Serializers;

/// <summary>Reads values one after the other, in any form that the specification allows.</summary>
ref struct MessagePackReader(ReadOnlySpan<byte> data)
{
    static readonly UTF8Encoding Utf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    readonly ReadOnlySpan<byte> data = data;
    int at = 0;

    public readonly bool AtEnd => at == data.Length;

    public readonly MalformedDataException Malformed(string problem) => new(problem, at);

    public bool IsNil()
    {
        if (Peek() != Nil) return false;
        at++;
        return true;
    }

    public readonly bool IsMap() => (Peek() & 0xf0) == SmallMap;

    public int Map() => Byte() & 0x0f;

    public int Array()
    {
        var code = Byte();
        var count = code switch
        {
            >= SmallArray and <= SmallArray + 15 => code & 0x0fu,
            Array16 => BinaryPrimitives.ReadUInt16BigEndian(Next(2)),
            Array32 => BinaryPrimitives.ReadUInt32BigEndian(Next(4)),
            _ => throw Malformed("an array should be here"),
        };
        if (count > data.Length - at) throw Malformed("the array is longer than the data"); // or 5 bytes could ask for 16 GB
        return (int)count;
    }

    public int Integer()
    {
        var code = Byte();
        var value = code switch
        {
            < SmallMap => code,
            >= SmallNegative => (sbyte)code,
            Unsigned8 => Byte(),
            Unsigned16 => BinaryPrimitives.ReadUInt16BigEndian(Next(2)),
            Unsigned32 => BinaryPrimitives.ReadUInt32BigEndian(Next(4)),
            Unsigned64 => (long)Math.Min(BinaryPrimitives.ReadUInt64BigEndian(Next(8)), long.MaxValue),
            Signed8 => (sbyte)Byte(),
            Signed16 => BinaryPrimitives.ReadInt16BigEndian(Next(2)),
            Signed32 => BinaryPrimitives.ReadInt32BigEndian(Next(4)),
            Signed64 => BinaryPrimitives.ReadInt64BigEndian(Next(8)),
            _ => throw Malformed("an integer should be here"),
        };
        return value is >= int.MinValue and <= int.MaxValue ? (int)value : throw Malformed("the integer is too large");
    }

    public DateTime Date()
    {
        var (code, length) = (Byte(), 0);
        if (code == Extension8) length = Byte();
        if (Byte() != Timestamp) throw Malformed("a date should be here");
        var (seconds, nanoseconds) = (0L, 0u);
        switch (code, length)
        {
            case (Extension4Bytes, _):
                seconds = BinaryPrimitives.ReadUInt32BigEndian(Next(4));
                break;
            case (Extension8Bytes, _):
                var both = BinaryPrimitives.ReadUInt64BigEndian(Next(8));
                (seconds, nanoseconds) = ((long)(both & (1L << 34) - 1), (uint)(both >> 34));
                break;
            case (Extension8, 12):
                nanoseconds = BinaryPrimitives.ReadUInt32BigEndian(Next(4));
                seconds = BinaryPrimitives.ReadInt64BigEndian(Next(8));
                break;
            default:
                throw Malformed("a date should be here");
        }

        if (nanoseconds > 999_999_999) throw Malformed("the date has more than a second of nanoseconds");
        if (seconds is < -SecondsToEpoch or > 253402300799) throw Malformed("the date is not in the years 1 to 9999");
        return new DateTime((seconds + SecondsToEpoch) * TimeSpan.TicksPerSecond + nanoseconds / 100, DateTimeKind.Utc);
    }

    public string? Text() => IsNil() ? null : Utf8.GetString(TextBytes());

    public ReadOnlySpan<byte> TextBytes()
    {
        var code = Byte();
        var count = code switch
        {
            >= SmallText and <= SmallText + 31 => code & 0x1fu,
            Text8 => Byte(),
            Text16 => BinaryPrimitives.ReadUInt16BigEndian(Next(2)),
            Text32 => BinaryPrimitives.ReadUInt32BigEndian(Next(4)),
            _ => throw Malformed("text should be here"),
        };
        return Next(count);
    }

    readonly byte Peek() => at < data.Length ? data[at] : throw Malformed("the data is cut off");

    byte Byte()
    {
        var value = Peek();
        at++;
        return value;
    }

    ReadOnlySpan<byte> Next(uint count)
    {
        if (count > data.Length - at) throw Malformed("the data is cut off");
        at += (int)count;
        return data.Slice(at - (int)count, (int)count);
    }
}
