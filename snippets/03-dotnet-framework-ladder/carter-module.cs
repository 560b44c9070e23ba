#:sdk Microsoft.NET.Sdk.Web
#:package Carter
#:property PublishAot=false

using Carter;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.ConfigureKestrel(kestrel => kestrel.AddServerHeader = false);
builder.Services.AddCarter();

var app = builder.Build();
app.MapCarter();

app.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");

public class Perf : ICarterModule
{
    public void AddRoutes(IEndpointRouteBuilder app) =>
        app.MapGet("/echo", (string name, int x, int y, Factor factor) =>
            new Answer(name, (x + y) * (int)factor)); // a minimal API, found by its interface
}

public record Answer(string Name, int Sum);

public enum Factor { Two = 2, Three = 3, Four = 4 }
