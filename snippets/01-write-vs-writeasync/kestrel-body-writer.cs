#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

using System.Buffers;

var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.UseUrls($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");
builder.WebHost.ConfigureKestrel(options => options.AddServerHeader = false);
var app = builder.Build();
var body = """{"hello":"world"}"""u8.ToArray();

app.Run(context =>
{
    context.Response.ContentType = "application/json; charset=utf-8";
    context.Response.ContentLength = body.Length;
    context.Response.BodyWriter.Write(body); // into Kestrel's own buffer, which it sends when we return
    return Task.CompletedTask;
});

app.Run();
