// MemoryPack as a file.

using System.ComponentModel.DataAnnotations;
using MemoryPack;
using Microsoft.AspNetCore.Mvc;
using Serializers;

namespace Weather.Server.Controllers;

[ApiController]
[Route("WeatherForecast")]
[ResponseCache(NoStore = true)]
public sealed class MemoryPackController(Cache cache) : ControllerBase
{
    [HttpGet("memorypack")]
    public IActionResult AsFile([Range(0, 100_000)] int n = 1000) =>
        File(MemoryPackSerializer.Serialize(cache.Get<PackableForecast>(n)), "application/x-memorypack");
}
