// System.Text.Json, which knows the members from the compiler. By hand: ./bench page 07

using Serializers;

namespace Weather.Client.Clients;

public sealed class JsonSourceGeneratedClient() : ForecastClient("JSON, source-generated", "WeatherForecast")
{
    static readonly JsonSourceGenerated Serializer = new();

    protected override async Task<IForecast?[]?> Fetch(HttpClient http, string url)
    {
        var bytes = await http.GetByteArrayAsync(url);
        Arrived(bytes);
        return Serializer.Deserialize(bytes); // metadata that the compiler wrote: nothing is asked of the class
    }
}
