#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.UseUrls($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");
builder.WebHost.ConfigureKestrel(options =>
{
    options.AddServerHeader = false;
    options.AllowSynchronousIO = true;
});
builder.WebHost.UseSockets(options => options.MaxWriteBufferSize = 1 << 20); // so that no size has to wait
var app = builder.Build();
var body = new byte[int.Parse(Environment.GetEnvironmentVariable("SIZE") ?? "17")];

app.Run(context =>
{
    context.Response.ContentType = "application/octet-stream";
    context.Response.ContentLength = body.Length;
    context.Response.Body.Write(body, 0, body.Length);
    return Task.CompletedTask;
});

app.Run();
