using System.Diagnostics;
using System.Globalization;
using System.IO.Compression;
using System.Text.Json;

namespace Serializers;

/// <summary>
/// Reads a line ("20 loops" or "0.5 seconds"), asks for the forecasts in a loop, and writes a line of JSON: the times of
/// every loop in milliseconds. Its first line tells what it read once.
/// </summary>
sealed class Client<T>(ISerializer<T> serializer, Uri address) where T : class, IForecast, new()
{
    readonly HttpClient http = new(new SocketsHttpHandler { UseProxy = false });
    readonly string encoding = Environment.GetEnvironmentVariable("COMPRESSION") ?? "";
    T?[]? forecasts;
    int bytesOnTheWire;

    public async Task Run(TextReader asked, TextWriter told)
    {
        if (encoding != "") http.DefaultRequestHeaders.AcceptEncoding.ParseAdd(encoding);
        await Load(new Round());
        Tell(told, new { Forecasts = forecasts?.Length, Digest = Forecasts.Digest(forecasts), Bytes = bytesOnTheWire });
        while (await asked.ReadLineAsync() is [_, ..] line)
        {
            var (limit, unit) = (double.Parse(line.Split(' ')[0], CultureInfo.InvariantCulture), line.Split(' ')[1]);
            var round = new Round();
            var begun = Stopwatch.GetTimestamp();
            while (unit == "loops" ? round.Total.Count < limit : Stopwatch.GetElapsedTime(begun).TotalSeconds < limit)
            {
                await Load(round);
            }

            round.Seconds = Stopwatch.GetElapsedTime(begun).TotalSeconds;
            Tell(told, round);
        }
    }

    /// <summary>What is timed: GET, decompress where that was asked for, deserialize.</summary>
    async Task Load(Round round)
    {
        var begun = Stopwatch.GetTimestamp();
        using var response = await http.GetAsync(address);
        var bytes = await response.EnsureSuccessStatusCode().Content.ReadAsByteArrayAsync();
        var got = Stopwatch.GetTimestamp();
        bytesOnTheWire = bytes.Length;
        var compressed = response.Content.Headers.ContentEncoding.Count > 0;
        if (compressed) bytes = Decompress(bytes);
        var decompressed = Stopwatch.GetTimestamp();
        forecasts = serializer.Deserialize(bytes);
        var ended = Stopwatch.GetTimestamp();

        var inServer = response.Headers.GetValues("Server-Timing").Single().Split('=')[1];
        round.Serialize.Add(double.Parse(inServer, CultureInfo.InvariantCulture));
        round.Get.Add(Stopwatch.GetElapsedTime(begun, got).TotalMilliseconds);
        if (compressed) round.Decompress.Add(Stopwatch.GetElapsedTime(got, decompressed).TotalMilliseconds);
        round.Deserialize.Add(Stopwatch.GetElapsedTime(decompressed, ended).TotalMilliseconds);
        round.Total.Add(Stopwatch.GetElapsedTime(begun, ended).TotalMilliseconds);
    }

    byte[] Decompress(byte[] bytes)
    {
        using var source = new MemoryStream(bytes);
        using Stream stream = encoding == "br"
            ? new BrotliStream(source, CompressionMode.Decompress)
            : new GZipStream(source, CompressionMode.Decompress);
        using var whole = new MemoryStream();
        stream.CopyTo(whole);
        return whole.ToArray();
    }

    static void Tell<TWhat>(TextWriter told, TWhat what)
    {
        told.WriteLine(JsonSerializer.Serialize(what, JsonSerializerOptions.Web));
        told.Flush();
    }
}

/// <summary>Milliseconds of every loop. Serialize (in the server) is part of Get; Decompress has none where nothing was compressed.</summary>
sealed class Round
{
    public double Seconds { get; set; }

    public List<double> Serialize { get; } = [];

    public List<double> Get { get; } = [];

    public List<double> Decompress { get; } = [];

    public List<double> Deserialize { get; } = [];

    public List<double> Total { get; } = [];
}
