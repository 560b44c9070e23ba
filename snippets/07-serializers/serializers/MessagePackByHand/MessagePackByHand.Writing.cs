using System.Buffers;

namespace Serializers;

public sealed partial class MessagePackByHand
{
    const int Most = 5 + 5 + 8 + 13 + 15 + 5; // bytes of a forecast, but for its text: headers, names, date, integer

    public string MediaType => "application/x-msgpack";

    public byte[] Serialize(WeatherForecast?[]? forecasts)
    {
        if (forecasts is null) return [MessagePackCode.Nil];

        var buffer = ArrayPool<byte>.Shared.Rent(MostBytes(forecasts)); // so it never has to grow
        try
        {
            var writer = new MessagePackWriter(buffer);
            writer.Array(forecasts.Length);
            foreach (var each in forecasts) Write(ref writer, each);
            return writer.Written.ToArray();
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    void Write(ref MessagePackWriter writer, WeatherForecast? forecast)
    {
        if (forecast is null)
        {
            writer.Nil();
            return;
        }

        if (names) writer.Map(3);
        else writer.Array(3);
        if (names) writer.Name("Date"u8);
        writer.Date(forecast.Date);
        if (names) writer.Name("TemperatureC"u8);
        writer.Integer(forecast.TemperatureC);
        if (names) writer.Name("Summary"u8);
        writer.Text(forecast.Summary);
    }

    static int MostBytes(WeatherForecast?[] forecasts)
    {
        var bytes = 5L;
        foreach (var each in forecasts) bytes += Most + 3L * (each?.Summary?.Length ?? 0); // a char is at most 3 bytes of UTF-8
        return checked((int)bytes);
    }
}
