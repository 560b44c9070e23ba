#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.UseUrls($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");
builder.WebHost.ConfigureKestrel(options => options.AddServerHeader = false);
var app = builder.Build();
var body = new byte[65_536];

app.Run(context =>
{
    context.Response.ContentType = "application/octet-stream";
    context.Response.ContentLength = body.Length;
    return context.Response.Body.WriteAsync(body, 0, body.Length); // if it is slow, the thread is free
});

app.Run();
