#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

using System.Text.Json;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.ConfigureKestrel(kestrel => kestrel.AddServerHeader = false);

var app = builder.Build();
var created = new DateTime(2012, 6, 11);

app.Run(context =>
{
    Foo[] foos = [new(1, "Foo 1", created), new(2, "Foo 2", created), new(3, "Foo 3", created)];
    var body = JsonSerializer.SerializeToUtf8Bytes(foos);
    context.Response.ContentType = "application/json; charset=utf-8";
    context.Response.ContentLength = body.Length;
    return context.Response.Body.WriteAsync(body).AsTask(); // the server is in this very process
});

app.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");

record Foo(int Id, string Name, DateTime CreatedOn);
