// The bytes of the real libraries are written exactly, and read.

using System.Text.Json;
using Serializers;

namespace Checks;

static class Golden
{
    public static void Run(string path, Report report)
    {
        using var document = JsonDocument.Parse(File.ReadAllText(path));
        var root = document.RootElement;
        var items = root.GetProperty("items").EnumerateArray().ToArray();
        IForecast[] forecasts = [.. items.Select(Forecast)];
        foreach (var format in Format.All.Where(format => format.Golden != ""))
        {
            for (var i = 0; i < items.Length; i++)
            {
                // a serializer takes arrays: the bytes of an item stand in those of an array of one
                var expected = OneOf(format.Golden, Bytes(items[i], format.Golden));
                Check(report, $"{format.Name}: item {i}", format, [forecasts[i]], expected);
            }

            Check(report, $"{format.Name}: array", format, forecasts, Bytes(root.GetProperty("array"), format.Golden));
            if (format.Golden == "jsonHex") continue; // what is null, is null in JSON: no bytes are recorded
            var kind = format.Golden.StartsWith("memory") ? "memoryPackHex" : "messagePackHex";
            Check(report, $"{format.Name}: null array", format, null, Bytes(root.GetProperty("nullArray"), kind));
            Check(report, $"{format.Name}: empty array", format, [], Bytes(root.GetProperty("emptyArray"), kind));
            Check(report, $"{format.Name}: null element", format, [null], Bytes(root.GetProperty("arrayWithOneNullElement"), kind));
        }

        var utf16 = Bytes(root.GetProperty("array"), "memoryPackUtf16Hex"); // a reader of MemoryPack takes both
        foreach (var format in Format.All.Where(format => format.Golden == "memoryPackHex"))
        {
            report.Equal($"{format.Name}: reads UTF-16", Forecasts.Digest(forecasts), Forecasts.Digest(format.Read(utf16)));
        }
    }

    static void Check(Report report, string name, Format format, IForecast?[]? forecasts, byte[] expected)
    {
        report.Equal($"{name}, written", Convert.ToHexStringLower(expected), Convert.ToHexStringLower(format.Write(forecasts)));
        var read = format.Read(expected);
        report.Equal($"{name}, read", RoundTrip.Lines(forecasts, format.KeepsKind), RoundTrip.Lines(read, keepsKind: true));
    }

    static byte[] OneOf(string golden, byte[] item) => golden switch
    {
        "jsonHex" => [(byte)'[', .. item, (byte)']'],
        "memoryPackHex" => [1, 0, 0, 0, .. item],
        _ => [0x91, .. item],
    };

    static byte[] Bytes(JsonElement element, string name) => Convert.FromHexString(element.GetProperty(name).GetString()!);

    static WeatherForecast Forecast(JsonElement item) => new()
    {
        Date = new DateTime(
            long.Parse(item.GetProperty("dateTicks").GetString()!),
            Enum.Parse<DateTimeKind>(item.GetProperty("dateKind").GetString()!)),
        TemperatureC = item.GetProperty("temperatureC").GetInt32(),
        Summary = item.GetProperty("summary").GetString(),
    };
}
