#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.UseUrls($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");
builder.WebHost.ConfigureKestrel(options => options.AddServerHeader = false);
var app = builder.Build();

app.MapGet("/", () => new { hello = "world" }); // turned into JSON for every request

app.Run();
