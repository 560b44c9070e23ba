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

var group = app.MapGroup("/{id:int}");
group.MapGet("/", (int id, HttpContext context) => Begin(context, "handler", id))
    .AddEndpointFilter(Step("a"))
    .AddEndpointFilter(Step("b"));
group.AddEndpointFilter(Step("group")); // added last, but the group's run before the endpoint's own

app.Run();

static Func<EndpointFilterInvocationContext, EndpointFilterDelegate, ValueTask<object?>> Step(string name)
{
    return async (context, next) =>
    {
        var (http, id) = (context.HttpContext, context.GetArgument<int>(0)); // already bound
        Begin(http, name, id);
        if (http.Request.Query["skip"] == name)
        {
            return Results.Empty; // what is within never runs
        }
        try
        {
            var result = await next(context);
            Ran(http).Add($"{name} ends");
            return result;
        }
        catch (Exception error) when (http.Request.Query["catch"] == name)
        {
            Ran(http).Add($"{name} catches what was {error.Message}");
            return Results.Empty;
        }
    };
}

static void Begin(HttpContext context, string name, int id)
{
    Ran(context).Add($"{name} begins (id {id})");
    if (context.Request.Query["throw"] == name)
    {
        throw new InvalidOperationException($"thrown by {name}");
    }
}

static List<string> Ran(HttpContext context) => (List<string>)(context.Items["ran"] ??= new List<string>());
