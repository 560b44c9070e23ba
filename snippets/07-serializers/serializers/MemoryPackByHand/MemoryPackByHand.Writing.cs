using System.Buffers;

namespace Serializers;

public sealed partial class MemoryPackByHand
{
    const int Most = 1 + 8 + 4 + 8; // bytes of a forecast, but for its text: header, date, integer, two lengths

    public string MediaType => "application/x-memorypack";

    public byte[] Serialize(WeatherForecast?[]? forecasts)
    {
        var buffer = ArrayPool<byte>.Shared.Rent(MostBytes(forecasts)); // so it never has to grow
        try
        {
            var writer = new MemoryPackWriter(buffer);
            writer.Integer(forecasts?.Length ?? -1);
            foreach (var each in forecasts ?? []) Write(ref writer, each);
            return writer.Written.ToArray();
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    static void Write(ref MemoryPackWriter writer, WeatherForecast? forecast)
    {
        if (forecast is null)
        {
            writer.Header(MemoryPackReader.Null);
            return;
        }

        writer.Header(3); // members, in the order of the class
        writer.Date(forecast.Date);
        writer.Integer(forecast.TemperatureC);
        writer.Text(forecast.Summary);
    }

    static int MostBytes(WeatherForecast?[]? forecasts)
    {
        var bytes = 4L;
        foreach (var each in forecasts ?? []) bytes += Most + 3L * (each?.Summary?.Length ?? 0); // a char is at most 3 bytes of UTF-8
        return checked((int)bytes);
    }
}
