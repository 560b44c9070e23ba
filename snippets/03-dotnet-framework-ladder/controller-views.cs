#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

using Microsoft.AspNetCore.Mvc;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.ConfigureKestrel(kestrel => kestrel.AddServerHeader = false);
builder.Services.AddControllersWithViews();

var app = builder.Build();
app.MapDefaultControllerRoute();

app.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");

public class HomeController : Controller
{
    [Route("/echo")]
    public JsonResult Echo(string name, int x, int y, Factor factor) =>
        Json(new Answer(name, (x + y) * (int)factor)); // JSON, whatever the request accepts
}

public record Answer(string Name, int Sum);

public enum Factor { Two = 2, Three = 3, Four = 4 }
