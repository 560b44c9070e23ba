// The library MessagePack; it asks for the format, and an output formatter of the server writes it. By hand: ./bench page 07

using System.Net.Http.Headers;
using MessagePack;
using Serializers;

namespace Weather.Client.Clients;

public sealed class MessagePackFormattedClient() : ForecastClient("MessagePack, output formatter", "WeatherForecast/negotiated")
{
    protected override async Task<IForecast?[]?> Fetch(HttpClient http, string url)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, url);
        request.Headers.Accept.Add(new MediaTypeWithQualityHeaderValue("application/x-msgpack")); // without it the same address answers JSON
        using var response = await http.SendAsync(request);
        var bytes = await response.EnsureSuccessStatusCode().Content.ReadAsByteArrayAsync();
        Arrived(bytes);
        return MessagePackSerializer.Deserialize<KeyedForecast[]>(bytes);
    }
}
