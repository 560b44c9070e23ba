// MemoryPack's format, read by hand: teaching code, not the library. By hand: ./bench page 07

using Serializers;

namespace Weather.Client.Clients;

public sealed class MemoryPackByHandClient() : ForecastClient("MemoryPack's format, by hand", "WeatherForecast/by-hand/memorypack")
{
    static readonly MemoryPackByHand Serializer = new();

    protected override async Task<IForecast?[]?> Fetch(HttpClient http, string url)
    {
        var bytes = await http.GetByteArrayAsync(url);
        Arrived(bytes);
        return Serializer.Deserialize(bytes); // ours: serializers/MemoryPackByHand
    }
}
