#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

var count = int.Parse(Environment.GetEnvironmentVariable("COUNT") ?? "1");
var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.UseUrls($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");
builder.WebHost.ConfigureKestrel(options => options.AddServerHeader = false);
var app = builder.Build();
var hello = app.MapGet("/", () => Results.Text("""{"hello":"world"}""", "application/json; charset=utf-8"));

for (var i = 0; i < count; i++)
{
    hello.AddEndpointFilter(async (context, next) => await next(context)); // of this endpoint only
}

app.Run();
