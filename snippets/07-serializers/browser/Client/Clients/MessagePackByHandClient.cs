// MessagePack's format, read by hand: teaching code, not the library. By hand: ./bench page 07

using Serializers;

namespace Weather.Client.Clients;

public sealed class MessagePackByHandClient() : ForecastClient("MessagePack's format, by hand", "WeatherForecast/by-hand/messagepack")
{
    static readonly MessagePackByHand Serializer = new();

    protected override async Task<IForecast?[]?> Fetch(HttpClient http, string url)
    {
        var bytes = await http.GetByteArrayAsync(url);
        Arrived(bytes);
        return Serializer.Deserialize(bytes); // ours: serializers/MessagePackByHand
    }
}
