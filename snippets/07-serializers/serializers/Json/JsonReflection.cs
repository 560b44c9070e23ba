using System.Text.Json;

namespace Serializers;

public sealed class JsonReflection : ISerializer<WeatherForecast>
{
    public string MediaType => "application/json";

    public byte[] Serialize(WeatherForecast?[]? forecasts) =>
        JsonSerializer.SerializeToUtf8Bytes(forecasts, JsonSerializerOptions.Web); // what it needs to know of the class, it asks the class

    public WeatherForecast?[]? Deserialize(byte[] data) =>
        JsonSerializer.Deserialize<WeatherForecast?[]>(data, JsonSerializerOptions.Web);
}
