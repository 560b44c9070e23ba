// GetFromJsonAsync, as Blazor's template has it: GET and decode in one call. By hand: ./bench page 07

using System.Net.Http.Json;
using Serializers;

namespace Weather.Client.Clients;

public sealed class JsonInOneCallClient() : ForecastClient("JSON, GetFromJsonAsync", "WeatherForecast")
{
    protected override async Task<IForecast?[]?> Fetch(HttpClient http, string url) =>
        await http.GetFromJsonAsync<WeatherForecast[]>(url); // reads while bytes still come
}
