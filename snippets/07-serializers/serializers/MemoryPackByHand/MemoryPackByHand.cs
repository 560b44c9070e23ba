// MemoryPack, read by hand as its format says: https://github.com/Cysharp/MemoryPack#binary-wire-format-specification

using System.Text;

namespace Serializers;

public sealed partial class MemoryPackByHand : ISerializer<WeatherForecast>
{
    public WeatherForecast?[]? Deserialize(byte[] data)
    {
        var reader = new MemoryPackReader(data);
        try
        {
            var forecasts = Read(ref reader);
            return reader.AtEnd ? forecasts : throw reader.Malformed("there is more after the end");
        }
        catch (DecoderFallbackException)
        {
            throw reader.Malformed("text is not UTF-8");
        }
    }

    static WeatherForecast?[]? Read(ref MemoryPackReader reader)
    {
        var count = reader.Count();
        if (count < 0) return null;

        var forecasts = new WeatherForecast?[count];
        for (var i = 0; i < forecasts.Length; i++)
        {
            forecasts[i] = reader.Header() switch
            {
                MemoryPackReader.Null => null,
                3 => new WeatherForecast { Date = reader.Date(), TemperatureC = reader.Integer(), Summary = reader.Text() }, // no types, no names
                _ => throw reader.Malformed("a forecast has three values"),
            };
        }

        return forecasts;
    }
}
