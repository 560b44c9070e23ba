// What one format has written and read, the next one writes: in the end it is what it was.

using Serializers;

namespace Checks;

static class RoundTrip
{
    public static void Run(Report report)
    {
        foreach (var count in (int[])[0, 1, 5, 15, 16, 100, 1_000, 10_000, 70_000])
        {
            foreach (var japanese in (bool[])[false, true])
            {
                IForecast?[]? forecasts = Forecasts.Make<WeatherForecast>(count, japanese);
                var before = Forecasts.Digest(forecasts);
                foreach (var format in Format.All) forecasts = format.Read(format.Write(forecasts));
                report.Equal($"{count} forecasts{(japanese ? " in Japanese" : "")} over all formats", before, Forecasts.Digest(forecasts));
            }
        }

        foreach (var format in Format.All)
        {
            Texts(report, format);
            foreach (var kind in Enum.GetValues<DateTimeKind>()) Kinds(report, format, kind);
        }
    }

    /// <summary>Texts on both sides of every limit of a length.</summary>
    static void Texts(Report report, Format format)
    {
        foreach (var length in (int[])[0, 1, 31, 32, 255, 256, 65_535, 65_536])
        {
            foreach (var character in (string[])["a", "é", "涼", "🌦"])
            {
                var text = string.Concat(Enumerable.Repeat(character, length));
                var read = format.Read(format.Write([new WeatherForecast { Summary = text }]));
                report.Equal($"{format.Name}: {length} times {character}", text, read?[0]?.Summary);
            }
        }

        foreach (var temperature in (int[])[0, 127, 128, 255, 256, 65_535, 65_536, int.MaxValue, -1, -32, -33, -128, -129, -32_768, -32_769, int.MinValue])
        {
            var read = format.Read(format.Write([new WeatherForecast { TemperatureC = temperature }]));
            report.Equal($"{format.Name}: {temperature} degrees", temperature.ToString(), read?[0]?.TemperatureC.ToString());
        }
    }

    /// <summary>MessagePack has moments only: a date comes back in UTC, whatever its kind was.</summary>
    static void Kinds(Report report, Format format, DateTimeKind kind)
    {
        foreach (var ticks in (long[])[1234567, 0, TimeSpan.TicksPerDay * 719_162, 639_029_198_450_000_000, DateTime.MaxValue.Ticks - TimeSpan.TicksPerDay])
        {
            var date = new DateTime(ticks + TimeSpan.TicksPerDay, kind);
            var read = format.Read(format.Write([new WeatherForecast { Date = date }]))![0]!.Date;
            var expected = format.KeepsKind ? date : kind == DateTimeKind.Local ? date.ToUniversalTime() : DateTime.SpecifyKind(date, DateTimeKind.Utc);
            report.Equal($"{format.Name}: {kind} date", $"{expected:O} {expected.Kind}", $"{read:O} {read.Kind}");
        }
    }

    /// <summary>A line a forecast. Where the kind is lost, a date without one is taken for UTC.</summary>
    public static string Lines(IForecast?[]? forecasts, bool keepsKind) => forecasts is null
        ? "null"
        : string.Join('\n', forecasts.Select(each => each is null
            ? "null"
            : $"{(keepsKind ? each.Date : DateTime.SpecifyKind(each.Date, DateTimeKind.Utc)):O} {each.TemperatureC} '{each.Summary ?? "null"}'"));
}
