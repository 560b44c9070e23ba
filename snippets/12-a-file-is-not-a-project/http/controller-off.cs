#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

using System.Text.Json.Serialization;
using Microsoft.AspNetCore.Mvc;

var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.ConfigureKestrel(kestrel => kestrel.AddServerHeader = false);
builder.Services.AddControllers()
    .AddJsonOptions(json => json.JsonSerializerOptions.TypeInfoResolver = Answers.Default);

var app = builder.Build();

app.MapControllers();

app.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");

public class HelloController : ControllerBase
{
    [HttpGet("/")]
    public Answer Get() => new("world");
}

public record Answer(string Hello);

[JsonSerializable(typeof(Answer))]
partial class Answers : JsonSerializerContext;
