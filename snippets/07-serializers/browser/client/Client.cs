// What all C# clients share: GET, decode, a clock around each, and what the page asks for.

using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices.JavaScript;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Serializers;

public static partial class Client
{
    static readonly HttpClient Http = new();
    static readonly List<double> Get = [], Decode = [];
    static Func<string, Task<IForecast?[]>> load = _ => throw new InvalidOperationException("call Client.Start");
    static string format = "";
    static IForecast?[] forecasts = [];

    /// <summary>A client that gets bytes, then decodes them. format: the server's name for it.</summary>
    public static void Start<T>(string format, ISerializer<T> serializer) where T : class, IForecast, new()
    {
        Client.format = format;
        load = async url =>
        {
            var start = Stopwatch.GetTimestamp();
            var bytes = await Http.GetByteArrayAsync(url);
            var arrived = Stopwatch.GetTimestamp();
            var found = serializer.Deserialize(bytes) ?? [];
            Note(Stopwatch.GetElapsedTime(start, arrived), Stopwatch.GetElapsedTime(arrived));
            return found;
        };
    }

    /// <summary>A client that does both in one call, so that only the sum can be timed.</summary>
    public static void Start<T>(string format, Func<HttpClient, string, Task<T?[]?>> getAndDecode) where T : class, IForecast
    {
        Client.format = format;
        load = async url =>
        {
            var start = Stopwatch.GetTimestamp();
            var found = await getAndDecode(Http, url) ?? [];
            Note(Stopwatch.GetElapsedTime(start), null);
            return found;
        };
    }

    static void Note(TimeSpan get, TimeSpan? decode)
    {
        Get.Add(get.TotalMilliseconds);
        if (decode is { } time) Decode.Add(time.TotalMilliseconds);
    }

    [JSExport]
    internal static string Format() => format;

    /// <summary>Loads again and again for so long, at least once: {"get":[ms …],"decode":[ms …]}.</summary>
    [JSExport]
    internal static async Task<string> Measure(string url, double milliseconds, int loops)
    {
        Get.Clear();
        Decode.Clear();
        var start = Stopwatch.GetTimestamp();
        do
        {
            forecasts = await load(url);
        }
        while (Get.Count < loops || Stopwatch.GetElapsedTime(start).TotalMilliseconds < milliseconds);

        return $"{{\"get\":[{Join(Get)}],\"decode\":[{Join(Decode)}]}}";
    }

    static string Join(List<double> times) =>
        string.Join(',', times.Select(time => time.ToString("R", CultureInfo.InvariantCulture)));

    /// <summary>What was loaded last, as the page shows it: [["2026-01-01T08:30:00.123",-20,"Freezing"], …].</summary>
    [JSExport]
    internal static string Rows()
    {
        using var stream = new MemoryStream();
        using (var json = new Utf8JsonWriter(stream))
        {
            json.WriteStartArray();
            foreach (var each in forecasts)
            {
                json.WriteStartArray();
                json.WriteStringValue(Milliseconds(each!.Date));
                json.WriteNumberValue(each.TemperatureC);
                json.WriteStringValue(each.Summary);
                json.WriteEndArray();
            }

            json.WriteEndArray();
        }

        return Encoding.UTF8.GetString(stream.ToArray());
    }

    /// <summary>SHA-256 of every field of every forecast, to the millisecond: JavaScript's Date has no more.</summary>
    [JSExport]
    internal static string Digest()
    {
        var lines = forecasts.Select(each => $"{Milliseconds(each!.Date)}\t{each.TemperatureC}\t{each.Summary ?? "null"}\n");
        return Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(string.Concat(lines))));
    }

    /// <summary>The same to the tick and with the kind of date, for C# clients only.</summary>
    [JSExport]
    internal static string ExactDigest() => Forecasts.Digest(forecasts);

    static string Milliseconds(DateTime date) => date.ToString("yyyy-MM-ddTHH:mm:ss.fff", CultureInfo.InvariantCulture);
}
