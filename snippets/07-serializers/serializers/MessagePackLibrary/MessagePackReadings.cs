using MessagePack;

namespace Serializers;

public sealed class MessagePackReadings : IReadings<KeyedReading>
{
    public byte[] Serialize(KeyedReading[] readings) => MessagePackSerializer.Serialize(readings);

    public KeyedReading[]? Deserialize(byte[] data) => MessagePackSerializer.Deserialize<KeyedReading[]?>(data); // value by value
}

[MessagePackObject]
public struct KeyedReading : IReading
{
    [Key(0)]
    public long Ticks { get; set; }

    [Key(1)]
    public float Value { get; set; }

    [Key(2)]
    public int Sensor { get; set; }
}
