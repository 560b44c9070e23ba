#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

using System.Linq.Expressions;
using System.Reflection;
using System.Text.Json;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.ConfigureKestrel(kestrel =>
{
    kestrel.AddServerHeader = false;
    kestrel.AllowSynchronousIO = true; // or Write throws: a slow client would hold the thread
});

var app = builder.Build();
var operations = typeof(Perf).GetMethods().Where(method => method.DeclaringType == typeof(Perf))
    .ToDictionary(method => "/" + method.Name.ToLowerInvariant(), Compile);

app.Run(context =>
{
    var answer = operations[context.Request.Path](context.Request.Query);
    var body = JsonSerializer.SerializeToUtf8Bytes(answer, answer.GetType(), JsonSerializerOptions.Web);
    context.Response.ContentType = "application/json; charset=utf-8";
    context.Response.Body.Write(body, 0, body.Length); // as LightNode 0.2 did: it copied its buffer, synchronously
    return Task.CompletedTask;
});

app.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");

static Func<IQueryCollection, object> Compile(MethodInfo method)
{
    var query = Expression.Parameter(typeof(IQueryCollection));
    var call = Expression.Call(Expression.New(method.DeclaringType!), method, method.GetParameters().Select(Bind));
    return Expression.Lambda<Func<IQueryCollection, object>>(call, query).Compile(); // once, at the start

    Expression Bind(ParameterInfo parameter)
    {
        var value = Expression.Property(query, "Item", Expression.Constant(parameter.Name));
        var text = Expression.Convert(value, typeof(string));
        var type = parameter.ParameterType;
        return type == typeof(string) ? text
            : type.IsEnum ? Expression.Call(typeof(Enum), "Parse", [type], text)
            : Expression.Call(type, "Parse", null, text);
    }
}

public class Perf
{
    public Answer Echo(string name, int x, int y, Factor factor) => new(name, (x + y) * (int)factor);
}

public record Answer(string Name, int Sum);

public enum Factor { Two = 2, Three = 3, Four = 4 }
