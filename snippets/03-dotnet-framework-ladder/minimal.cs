#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.ConfigureKestrel(kestrel => kestrel.AddServerHeader = false);

var app = builder.Build();

app.MapGet("/echo", (string name, int x, int y, Factor factor) =>
    new Answer(name, (x + y) * (int)factor)); // bound before, sent as JSON after

app.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");

record Answer(string Name, int Sum);

enum Factor { Two = 2, Three = 3, Four = 4 }
