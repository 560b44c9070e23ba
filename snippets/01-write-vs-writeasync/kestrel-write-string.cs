#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.UseUrls($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");
builder.WebHost.ConfigureKestrel(options => options.AddServerHeader = false);
var app = builder.Build();

app.Run(context =>
{
    context.Response.ContentType = "application/json; charset=utf-8";
    context.Response.ContentLength = 17;
    return context.Response.WriteAsync("""{"hello":"world"}"""); // turned into UTF-8 for every request
});

app.Run();
