using System.Text.Json;
using System.Text.Json.Serialization;

namespace Serializers;

public sealed class JsonSourceGenerated : ISerializer<WeatherForecast>
{
    public string MediaType => "application/json";

    public byte[] Serialize(WeatherForecast?[]? forecasts) =>
        JsonSerializer.SerializeToUtf8Bytes(forecasts, ForecastContext.Default.WeatherForecastArray); // written by the compiler

    public WeatherForecast?[]? Deserialize(byte[] data) =>
        JsonSerializer.Deserialize(data, ForecastContext.Default.WeatherForecastArray);
}

[JsonSourceGenerationOptions(JsonSerializerDefaults.Web)]
[JsonSerializable(typeof(WeatherForecast?[]))]
sealed partial class ForecastContext : JsonSerializerContext;
