#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.ConfigureKestrel(kestrel => kestrel.AddServerHeader = false);

var app = builder.Build();
var hello = "hello"u8.ToArray();

app.Run(context =>
{
    context.Response.ContentLength = hello.Length;
    return context.Response.Body.WriteAsync(hello).AsTask();
});

app.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");
