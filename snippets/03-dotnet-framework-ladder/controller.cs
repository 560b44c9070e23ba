#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

using Microsoft.AspNetCore.Mvc;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.ConfigureKestrel(kestrel => kestrel.AddServerHeader = false);
builder.Services.AddControllers();

var app = builder.Build();
app.MapControllers();

app.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");

[ApiController]
public class PerfController : ControllerBase
{
    [HttpGet("/echo")]
    public Answer Echo(string name, int x, int y, Factor factor) =>
        new(name, (x + y) * (int)factor); // a formatter is chosen by the request's Accept header
}

public record Answer(string Name, int Sum);

public enum Factor { Two = 2, Three = 3, Four = 4 }
