// The same forecasts for everybody, and a digest that tells whether two clients saw the same.

using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Serializers;

public static class Forecasts
{
    static readonly string[] English =
        ["Freezing", "Bracing", "Chilly", "Cool", "Mild", "Warm", "Balmy", "Hot", "Sweltering", "Scorching"];

    static readonly string[] Japanese =
        ["凍える", "身が引き締まる", "肌寒い", "涼しい", "穏やか", "暖かい", "心地よい", "暑い", "蒸し暑い", "焼けつく"];

    /// <summary>A forecast a day from 2026-01-01, in UTC: the kind that every format keeps.</summary>
    public static T[] Make<T>(int count, bool japanese = false) where T : class, IForecast, new()
    {
        var summaries = japanese ? Japanese : English;
        var first = new DateTime(2026, 1, 1, 8, 30, 0, DateTimeKind.Utc).AddTicks(1234567); // as DateTime.UtcNow has
        var forecasts = new T[count];
        for (var i = 0; i < count; i++)
        {
            forecasts[i] = new T
            {
                Date = first.AddDays(i),
                TemperatureC = i * 37 % 75 - 20,
                Summary = summaries[i * 7 % summaries.Length],
            };
        }

        return forecasts;
    }

    /// <summary>SHA-256 (hex) of a line a forecast: date with seven decimals and kind, temperature, summary.</summary>
    public static string Digest(IEnumerable<IForecast?>? forecasts)
    {
        var text = new StringBuilder();
        foreach (var each in forecasts ?? [])
        {
            text.Append(each is null ? "null" : Line(each)).Append('\n');
        }

        return Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(text.ToString())));
    }

    static string Line(IForecast each) =>
        string.Create(CultureInfo.InvariantCulture, $"{each.Date:O}\t{each.TemperatureC}\t{each.Summary ?? "null"}");
}
