using MemoryPack;

namespace Serializers;

public sealed class MemoryPackLibrary : ISerializer<PackableForecast>
{
    public string MediaType => "application/x-memorypack";

    public byte[] Serialize(PackableForecast?[]? forecasts) => MemoryPackSerializer.Serialize(forecasts);

    public PackableForecast?[]? Deserialize(byte[] data) => MemoryPackSerializer.Deserialize<PackableForecast?[]>(data);
}

[MemoryPackable] // its source generator writes the other half of the class
public sealed partial class PackableForecast : IForecast
{
    public DateTime Date { get; set; }

    public int TemperatureC { get; set; }

    public string? Summary { get; set; }
}
