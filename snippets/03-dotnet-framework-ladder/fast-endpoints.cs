#:sdk Microsoft.NET.Sdk.Web
#:package FastEndpoints
#:property PublishAot=false

using FastEndpoints;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.ConfigureKestrel(kestrel => kestrel.AddServerHeader = false);
builder.Services.AddFastEndpoints();

var app = builder.Build();
app.UseFastEndpoints();

app.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");

public class Perf : Endpoint<Question, Answer> // one class for each endpoint, with its request and response
{
    public override void Configure()
    {
        Get("/echo");
        AllowAnonymous();
    }

    public override Task HandleAsync(Question asked, CancellationToken cancellation) =>
        Send.OkAsync(new(asked.Name, (asked.X + asked.Y) * (int)asked.Factor), cancellation);
}

public class Question
{
    public string Name { get; set; } = "";
    public int X { get; set; }
    public int Y { get; set; }
    public Factor Factor { get; set; }
}

public record Answer(string Name, int Sum);

public enum Factor { Two = 2, Three = 3, Four = 4 }
