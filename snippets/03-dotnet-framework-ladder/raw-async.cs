#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

using System.Text.Json;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.ConfigureKestrel(kestrel => kestrel.AddServerHeader = false);

var app = builder.Build();

app.Run(context =>
{
    var query = context.Request.Query;
    var factor = (int)Enum.Parse<Factor>(query["factor"]!);
    var answer = new Answer(query["name"]!, (int.Parse(query["x"]!) + int.Parse(query["y"]!)) * factor);
    var body = JsonSerializer.SerializeToUtf8Bytes(answer, JsonSerializerOptions.Web);
    context.Response.ContentType = "application/json; charset=utf-8";
    return context.Response.Body.WriteAsync(body, 0, body.Length); // and nothing between Kestrel and this
});

app.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");

record Answer(string Name, int Sum);

enum Factor { Two = 2, Three = 3, Four = 4 }
