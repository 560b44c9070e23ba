namespace Serializers;

/// <summary>A forecast with the names of its values, in any order.</summary>
public sealed partial class MessagePackByHand
{
    static WeatherForecast ReadMap(ref MessagePackReader reader)
    {
        var forecast = new WeatherForecast();
        var (count, seen) = (reader.Map(), 0);
        for (var i = 0; i < count; i++)
        {
            var name = reader.TextBytes();
            if (name.SequenceEqual("Date"u8)) (forecast.Date, seen) = (reader.Date(), seen | 1);
            else if (name.SequenceEqual("TemperatureC"u8)) (forecast.TemperatureC, seen) = (reader.Integer(), seen | 2);
            else if (name.SequenceEqual("Summary"u8)) (forecast.Summary, seen) = (reader.Text(), seen | 4);
            else throw reader.Malformed("a forecast has no value of that name");
        }

        return count == 3 && seen == 7 ? forecast : throw reader.Malformed("a forecast has three values");
    }
}
