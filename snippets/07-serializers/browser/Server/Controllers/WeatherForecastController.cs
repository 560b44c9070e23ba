// JSON: what a controller answers by itself. By hand: curl "http://127.0.0.1:8080/WeatherForecast?n=5"

using System.ComponentModel.DataAnnotations;
using Microsoft.AspNetCore.Mvc;
using Serializers;

namespace Weather.Server.Controllers;

[ApiController]
[Route("WeatherForecast")]
[ResponseCache(NoStore = true)]
public sealed class WeatherForecastController(Cache cache) : ControllerBase
{
    [HttpGet]
    public WeatherForecast[] Get([Range(0, 100_000)] int n = 1000) => cache.Get<WeatherForecast>(n);

    /// <summary>The binary formats written by hand, for those who read them without the libraries.</summary>
    [HttpGet("by-hand/{format}")]
    public IActionResult ByHand(string format, [Range(0, 100_000)] int n = 1000)
    {
        ISerializer<WeatherForecast>? serializer = format switch
        {
            "messagepack" => new MessagePackByHand(),
            "memorypack" => new MemoryPackByHand(),
            _ => null,
        };
        return serializer is null ? NotFound() : File(serializer.Serialize(cache.Get<WeatherForecast>(n)), serializer.MediaType);
    }
}
