// The library MessagePack; its bytes come as a file, as in the slides. By hand: ./bench page 07

using MessagePack;
using Serializers;

namespace Weather.Client.Clients;

public sealed class MessagePackClient() : ForecastClient("MessagePack", "WeatherForecast/messagepack")
{
    protected override async Task<IForecast?[]?> Fetch(HttpClient http, string url)
    {
        var bytes = await http.GetByteArrayAsync(url);
        Arrived(bytes);
        return MessagePackSerializer.Deserialize<KeyedForecast[]>(bytes); // two lines instead of GetFromJsonAsync
    }
}
