// System.Text.Json, which asks the class for its members. By hand: ./bench page 07

using System.Text.Json;
using Serializers;

namespace Weather.Client.Clients;

public sealed class JsonClient() : ForecastClient("JSON", "WeatherForecast")
{
    protected override async Task<IForecast?[]?> Fetch(HttpClient http, string url)
    {
        var bytes = await http.GetByteArrayAsync(url);
        Arrived(bytes); // the GET ends here, and decoding begins
        return JsonSerializer.Deserialize<WeatherForecast[]>(bytes, JsonSerializerOptions.Web);
    }
}
