#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.UseUrls($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");
builder.WebHost.ConfigureKestrel(options =>
{
    options.AddServerHeader = false;
    options.AllowSynchronousIO = true; // without it, Write throws
});
var app = builder.Build();
var body = """{"hello":"world"}"""u8.ToArray();

app.Run(context =>
{
    context.Response.ContentType = "application/json; charset=utf-8";
    context.Response.ContentLength = body.Length;
    context.Response.Body.Write(body, 0, body.Length); // if the client is slow, a thread waits here
    return Task.CompletedTask;
});

app.Run();
