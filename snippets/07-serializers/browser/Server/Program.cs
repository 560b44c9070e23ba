// The web API, and the files of the page. By hand: dotnet run -c Release, then http://127.0.0.1:8080

using Microsoft.AspNetCore.Mvc.Formatters;
using Weather.Server;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.Configuration["AllowedHosts"] = "127.0.0.1;localhost"; // no other site's name may lead here
builder.Services.AddSingleton<Cache>();
builder.Services.AddControllers(options =>
{
    foreach (var type in typeof(Cache).Assembly.GetTypes().Where(each => each.IsSubclassOf(typeof(OutputFormatter))))
    {
        options.OutputFormatters.Add((OutputFormatter)Activator.CreateInstance(type)!);
    }
});
var app = builder.Build();

app.Use((context, next) =>
{
    context.Response.Headers["Cross-Origin-Opener-Policy"] = "same-origin"; // with these two the page's clock
    context.Response.Headers["Cross-Origin-Embedder-Policy"] = "require-corp"; // ticks every 5 µs, not every 100 µs
    return next();
});
app.UseStaticFiles(); // what was not there when the page was built
app.MapStaticAssets(); // the page, compressed by Brotli when it was published
app.MapControllers();
app.MapFallbackToFile("index.html");
app.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT") ?? "8080"}");
