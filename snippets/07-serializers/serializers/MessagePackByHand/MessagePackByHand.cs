// MessagePack, read by hand as its specification says: https://github.com/msgpack/msgpack/blob/master/spec.md

using System.Text;

namespace Serializers;

/// <param name="names">write each forecast as a map with names instead of an array; both can be read</param>
public sealed partial class MessagePackByHand(bool names) : ISerializer<WeatherForecast>
{
    public MessagePackByHand() : this(names: false)
    {
    }

    public WeatherForecast?[]? Deserialize(byte[] data)
    {
        var reader = new MessagePackReader(data);
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

    static WeatherForecast?[]? Read(ref MessagePackReader reader)
    {
        if (reader.IsNil()) return null;

        var forecasts = new WeatherForecast?[reader.Array()];
        for (var i = 0; i < forecasts.Length; i++)
        {
            forecasts[i] = reader.IsNil() ? null : reader.IsMap() ? ReadMap(ref reader) : ReadArray(ref reader);
        }

        return forecasts;
    }

    static WeatherForecast ReadArray(ref MessagePackReader reader)
    {
        if (reader.Array() != 3) throw reader.Malformed("a forecast has three values");
        return new WeatherForecast { Date = reader.Date(), TemperatureC = reader.Integer(), Summary = reader.Text() }; // its place says what a value is
    }
}
