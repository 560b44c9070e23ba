#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

var count = int.Parse(Environment.GetEnvironmentVariable("COUNT") ?? "1");
var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.UseUrls($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");
builder.WebHost.ConfigureKestrel(options => options.AddServerHeader = false);
var app = builder.Build();

for (var i = 0; i < count; i++)
{
    app.Use(async (context, next) => await next(context)); // before and after every request of the app
}

app.Run(context =>
{
    context.Response.ContentType = "application/json; charset=utf-8";
    context.Response.ContentLength = 17;
    return context.Response.WriteAsync("""{"hello":"world"}""");
});

app.Run();
