// MessagePack in two ways: as a file, as the slides have it, and by an output formatter.

using System.ComponentModel.DataAnnotations;
using MessagePack;
using Microsoft.AspNetCore.Mvc;
using Serializers;

namespace Weather.Server.Controllers;

[ApiController]
[Route("WeatherForecast")]
[ResponseCache(NoStore = true)]
public sealed class MessagePackController(Cache cache) : ControllerBase
{
    [HttpGet("messagepack")]
    public IActionResult AsFile([Range(0, 100_000)] int n = 1000) =>
        File(MessagePackSerializer.Serialize(cache.Get<KeyedForecast>(n)), "application/x-msgpack"); // a file, so that no JSON is made of it

    [HttpGet("negotiated")]
    public KeyedForecast[] Negotiated([Range(0, 100_000)] int n = 1000) => cache.Get<KeyedForecast>(n); // the client's Accept header decides
}
