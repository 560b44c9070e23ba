// The library MemoryPack; its bytes come as a file. By hand: ./bench page 07

using MemoryPack;
using Serializers;

namespace Weather.Client.Clients;

public sealed class MemoryPackClient() : ForecastClient("MemoryPack", "WeatherForecast/memorypack")
{
    protected override async Task<IForecast?[]?> Fetch(HttpClient http, string url)
    {
        var bytes = await http.GetByteArrayAsync(url);
        Arrived(bytes);
        return MemoryPackSerializer.Deserialize<PackableForecast[]>(bytes); // by the half of the class that its generator wrote
    }
}
