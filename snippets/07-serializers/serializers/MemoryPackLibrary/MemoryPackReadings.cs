using MemoryPack;

namespace Serializers;

public sealed class MemoryPackReadings : IReadings<Reading>
{
    public byte[] Serialize(Reading[] readings) => MemoryPackSerializer.Serialize(readings);

    public Reading[]? Deserialize(byte[] data) => MemoryPackSerializer.Deserialize<Reading[]>(data); // all in one copy, as they lie in memory
}
