// What all clients share: a clock around a load, and what was read.

using System.Diagnostics;
using Serializers;

namespace Weather.Client.Clients;

/// <param name="title">as the page shows it</param>
/// <param name="path">of the web API</param>
public abstract class ForecastClient(string title, string path)
{
    static readonly string[] Slides = ["JsonClient", "MessagePackClient", "MemoryPackClient"];
    long arrived;
    int? bytes;

    /// <summary>All clients of this page, those of the slides first.</summary>
    public static IReadOnlyList<ForecastClient> All { get; } =
    [
        .. typeof(ForecastClient).Assembly.GetTypes().Where(each => each.IsSubclassOf(typeof(ForecastClient)))
            .Select(each => (ForecastClient)Activator.CreateInstance(each)!)
            .OrderBy(each => each.InSlides ? Array.IndexOf(Slides, each.Name) : Slides.Length).ThenBy(each => each.Name),
    ];

    /// <summary>As in the page's address: ?client=JsonClient.</summary>
    public string Name => GetType().Name;

    public string Title => title;

    public bool InSlides => Slides.Contains(Name);

    public string Url(int n) => $"{path}?n={n}";

    public async Task<Loaded> Load(HttpClient http, int n)
    {
        (arrived, bytes) = (0, null);
        var start = Stopwatch.GetTimestamp();
        var forecasts = await Fetch(http, Url(n)) ?? [];
        var end = Stopwatch.GetTimestamp();
        return arrived == 0
            ? new Loaded(forecasts, Milliseconds(start, end), null, null)
            : new Loaded(forecasts, Milliseconds(start, arrived), Milliseconds(arrived, end), bytes);
    }

    protected abstract Task<IForecast?[]?> Fetch(HttpClient http, string url);

    /// <summary>The GET ends here, and decoding begins.</summary>
    protected void Arrived(byte[] body) => (arrived, bytes) = (Stopwatch.GetTimestamp(), body.Length);

    static double Milliseconds(long from, long to) => Stopwatch.GetElapsedTime(from, to).TotalMilliseconds;
}

/// <summary>What was read, and in how many milliseconds; Decode and Bytes are null where both are done in one call.</summary>
public sealed record Loaded(IForecast?[] Forecasts, double Get, double? Decode, int? Bytes)
{
    public double Whole => Get + (Decode ?? 0);
}
