#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

using System.Text.Json;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.ConfigureKestrel(kestrel =>
{
    kestrel.AddServerHeader = false;
    kestrel.AllowSynchronousIO = true; // or Write throws: a slow client would hold the thread
});

var app = builder.Build();

app.Run(context =>
{
    var query = context.Request.Query;
    var factor = (int)Enum.Parse<Factor>(query["factor"]!);
    var answer = new Answer(query["name"]!, (int.Parse(query["x"]!) + int.Parse(query["y"]!)) * factor);
    var body = JsonSerializer.SerializeToUtf8Bytes(answer, JsonSerializerOptions.Web);
    context.Response.ContentType = "application/json; charset=utf-8";
    context.Response.Body.Write(body, 0, body.Length);
    return Task.CompletedTask;
});

app.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");

record Answer(string Name, int Sum);

enum Factor { Two = 2, Three = 3, Four = 4 }
