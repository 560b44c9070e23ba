// The forecasts in every format, from a cache, and the files of the page. By hand: ./bench page 07

#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false
#:project ../serializers/Json
#:project ../serializers/MessagePackByHand
#:project ../serializers/MemoryPackByHand

using System.Collections.Concurrent;
using Microsoft.AspNetCore.StaticFiles;
using Serializers;

var builder = WebApplication.CreateBuilder(new WebApplicationOptions { WebRootPath = Environment.GetEnvironmentVariable("WEBROOT") });
builder.WebHost.UseUrls($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT") ?? "8080"}");
builder.Logging.ClearProviders();
var app = builder.Build();

app.Use((context, next) =>
{
    context.Response.Headers["Cross-Origin-Opener-Policy"] = "same-origin"; // with these two the page's clock
    context.Response.Headers["Cross-Origin-Embedder-Policy"] = "require-corp"; // ticks every 5 µs, not every 100 µs
    return next();
});

var types = new FileExtensionContentTypeProvider();
types.Mappings[".dll"] = "application/octet-stream";
types.Mappings[".mjs"] = "text/javascript";
app.UseDefaultFiles();
app.UseStaticFiles(new StaticFileOptions { ContentTypeProvider = types });

var serializers = new Dictionary<string, ISerializer<WeatherForecast>>
{
    ["json"] = new JsonReflection(),
    ["messagepack"] = new MessagePackByHand(), // byte for byte what the library writes
    ["memorypack"] = new MemoryPackByHand(),
};
var cache = new ConcurrentDictionary<(string, int), byte[]>();
app.MapGet("/forecasts/{format}", (string format, int n, HttpResponse response) =>
{
    if (!serializers.TryGetValue(format, out var serializer) || n is < 0 or > 100_000) return Results.NotFound();
    response.Headers.CacheControl = "no-store"; // every GET comes here
    var bytes = cache.GetOrAdd((format, n), key => serializer.Serialize(Forecasts.Make<WeatherForecast>(key.Item2)));
    return Results.Bytes(bytes, serializer.MediaType);
});
app.Run();
