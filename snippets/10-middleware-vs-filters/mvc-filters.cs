#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Mvc.Filters;

var count = int.Parse(Environment.GetEnvironmentVariable("COUNT") ?? "1");
var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.UseUrls($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");
builder.WebHost.ConfigureKestrel(options => options.AddServerHeader = false);
builder.Services.AddControllers(options =>
{
    for (var i = 0; i < count; i++)
    {
        options.Filters.Add(new PassOn()); // of every action of the app
    }
});
var app = builder.Build();
app.MapControllers();
app.Run();

public class PassOn : IAsyncActionFilter
{
    public async Task OnActionExecutionAsync(ActionExecutingContext context, ActionExecutionDelegate next) => await next();
}

public class HelloController : ControllerBase
{
    [HttpGet("/")]
    public ContentResult Get() => Content("""{"hello":"world"}""", "application/json; charset=utf-8");
}
