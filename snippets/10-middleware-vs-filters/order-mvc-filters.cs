#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

// What runs, in which order? The answer lists it.
// ?skip=first: first sets a result. ?throw=first: first throws (or: handler). ?catch=first: first
// says that an exception is handled.

using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Mvc.Filters;

var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.UseUrls($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");
builder.Services.AddControllers(options =>
{
    options.Filters.Add(new StepAttribute("last") { Order = int.MaxValue });
    options.Filters.Add(new StepAttribute("global")); // Order is 0 unless said
    options.Filters.Add(new StepAttribute("first") { Order = -int.MaxValue });
    options.Filters.Add(new Guard { Order = int.MaxValue });
});
var app = builder.Build();

app.Use(async (context, next) => // around all: answers with the list
{
    try
    {
        await next(context);
    }
    catch (Exception error)
    {
        context.Ran().Add($"outside: catches what was {error.Message}");
    }
    await context.Response.WriteAsync(string.Join("\n", context.Ran()));
});

app.MapControllers();
app.Run();

[AsyncStep]
public class OrderController : ControllerBase
{
    [HttpGet("/{id:int}"), Step("action")]
    public void Get(int id) => HttpContext.Begin("handler", id);
}

public class StepAttribute(string name) : ActionFilterAttribute
{
    public override void OnActionExecuting(ActionExecutingContext context)
    {
        context.HttpContext.Begin(name, context.ActionArguments["id"]); // already bound
        if (context.HttpContext.Request.Query["skip"] == name)
        {
            context.Result = new EmptyResult(); // what is within never runs
        }
    }

    public override void OnActionExecuted(ActionExecutedContext context)
    {
        context.HttpContext.End(name, context);
    }
}

public class AsyncStepAttribute : Attribute, IAsyncActionFilter
{
    public async Task OnActionExecutionAsync(ActionExecutingContext context, ActionExecutionDelegate next)
    {
        context.HttpContext.Begin("controller", context.ActionArguments["id"]);
        var executed = await next(); // does not throw: the exception is in what it returns
        context.HttpContext.End("controller", executed);
    }
}

public class Guard : IAuthorizationFilter, IOrderedFilter
{
    public int Order { get; set; }

    public void OnAuthorization(AuthorizationFilterContext context) => context.HttpContext.Ran().Add("authorization");
}

static class Steps
{
    public static List<string> Ran(this HttpContext context) =>
        (List<string>)(context.Items["ran"] ??= new List<string>());

    public static void Begin(this HttpContext context, string name, object? id)
    {
        context.Ran().Add($"{name} begins (id {id})");
        if (context.Request.Query["throw"] == name)
        {
            throw new InvalidOperationException($"thrown by {name}");
        }
    }

    public static void End(this HttpContext context, string name, ActionExecutedContext executed)
    {
        var how = executed.Canceled ? ", told that the action was skipped" : "";
        if (executed.Exception is { } error && !executed.ExceptionHandled)
        {
            executed.ExceptionHandled = context.Request.Query["catch"] == name;
            how = (executed.ExceptionHandled ? ", catches" : ", told of") + $" what was {error.Message}";
        }
        context.Ran().Add($"{name} ends{how}");
    }
}
