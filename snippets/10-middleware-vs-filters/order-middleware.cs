#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

// What runs, in which order? The answer lists it.
// ?skip=b: b does not call next. ?throw=b: b throws (or: handler). ?catch=a: a catches exceptions.

var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.UseUrls($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");
var app = builder.Build();

app.Use(async (context, next) => // around all: answers with the list
{
    try
    {
        await next(context);
    }
    catch (Exception error)
    {
        Ran(context).Add($"outside: catches what was {error.Message}");
    }
    await context.Response.WriteAsync(string.Join("\n", Ran(context)));
});

foreach (var name in new[] { "a", "b", "c" })
{
    app.Use(async (context, next) =>
    {
        Begin(context, name);
        if (context.Request.Query["skip"] == name)
        {
            return; // c and the handler never run
        }
        try
        {
            await next(context);
            Ran(context).Add($"{name} ends");
        }
        catch (Exception error) when (context.Request.Query["catch"] == name)
        {
            Ran(context).Add($"{name} catches what was {error.Message}");
        }
    });
}

app.Run(context =>
{
    Begin(context, "handler");
    return Task.CompletedTask;
});

app.Run();

static void Begin(HttpContext context, string name)
{
    Ran(context).Add($"{name} begins");
    if (context.Request.Query["throw"] == name)
    {
        throw new InvalidOperationException($"thrown by {name}");
    }
}

static List<string> Ran(HttpContext context) => (List<string>)(context.Items["ran"] ??= new List<string>());
