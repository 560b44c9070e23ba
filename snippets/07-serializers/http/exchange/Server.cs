using System.Diagnostics;
using System.Globalization;
using System.IO.Compression;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.ResponseCompression;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Serializers;

static class Server
{
    public static Task Run<T>(ISerializer<T> serializer) where T : class, IForecast, new()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT") ?? "8080"}");
        builder.Services.AddResponseCompression(options => options.MimeTypes = [serializer.MediaType]);
        builder.Services.Configure<GzipCompressionProviderOptions>(options => options.Level = CompressionLevel.Fastest);
        builder.Services.Configure<BrotliCompressionProviderOptions>(options => options.Level = CompressionLevel.Fastest);
        var app = builder.Build();
        app.UseResponseCompression(); // for clients that ask for it

        var count = int.Parse(Environment.GetEnvironmentVariable("COUNT") ?? "1000", CultureInfo.InvariantCulture);
        var cached = Forecasts.Make<T>(count, japanese: Environment.GetEnvironmentVariable("LANGUAGE_OF_TEXT") == "ja");
        app.MapGet("/forecasts", (HttpResponse response) =>
        {
            var begun = Stopwatch.GetTimestamp();
            var bytes = serializer.Serialize(cached); // as in the slides: the data is cached, its bytes are not
            var milliseconds = Stopwatch.GetElapsedTime(begun).TotalMilliseconds;
            response.Headers["Server-Timing"] = string.Create(CultureInfo.InvariantCulture, $"serialize;dur={milliseconds:F4}");
            return Results.Bytes(bytes, serializer.MediaType);
        });
        return app.RunAsync();
    }
}
