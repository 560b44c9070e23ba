namespace Serializers;

/// <summary>The first byte of a value says its type, and of a small one also its length or the value itself.</summary>
static class MessagePackCode
{
    public const byte SmallMap = 0x80, SmallArray = 0x90, SmallText = 0xa0, SmallNegative = 0xe0;

    public const byte Nil = 0xc0, Extension8 = 0xc7;

    public const byte Unsigned8 = 0xcc, Unsigned16 = 0xcd, Unsigned32 = 0xce, Unsigned64 = 0xcf;

    public const byte Signed8 = 0xd0, Signed16 = 0xd1, Signed32 = 0xd2, Signed64 = 0xd3;

    public const byte Extension4Bytes = 0xd6, Extension8Bytes = 0xd7, Timestamp = 0xff; // extension type -1

    public const byte Text8 = 0xd9, Text16 = 0xda, Text32 = 0xdb, Array16 = 0xdc, Array32 = 0xdd;

    public const long SecondsToEpoch = 62135596800; // from the year 1, where .NET counts from, to 1970
}
