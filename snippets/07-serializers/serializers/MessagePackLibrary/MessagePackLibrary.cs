using MessagePack;

namespace Serializers;

public sealed class MessagePackLibrary : ISerializer<KeyedForecast>
{
    public string MediaType => "application/x-msgpack";

    public byte[] Serialize(KeyedForecast?[]? forecasts) => MessagePackSerializer.Serialize(forecasts);

    public KeyedForecast?[]? Deserialize(byte[] data) => MessagePackSerializer.Deserialize<KeyedForecast?[]?>(data);
}

[MessagePackObject]
public sealed class KeyedForecast : IForecast
{
    [Key(0)] // an integer: the forecast becomes an array of three, without names
    public DateTime Date { get; set; }

    [Key(1)]
    public int TemperatureC { get; set; }

    [Key(2)]
    public string? Summary { get; set; }
}
