#:sdk Microsoft.NET.Sdk
#:property PublishAot=false
#:property ServerGarbageCollection=true

using System.Net;
using System.Text.Json;

var listener = new HttpListener();
listener.Prefixes.Add($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}/");
listener.Start();

while (true)
{
    var context = await listener.GetContextAsync();
    _ = Task.Run(() => Reply(context)); // not awaited: the next request is taken meanwhile
}

async Task Reply(HttpListenerContext context)
{
    var query = context.Request.QueryString;
    var factor = (int)Enum.Parse<Factor>(query["factor"]!);
    var answer = new Answer(query["name"]!, (int.Parse(query["x"]!) + int.Parse(query["y"]!)) * factor);
    var body = JsonSerializer.SerializeToUtf8Bytes(answer, JsonSerializerOptions.Web);
    context.Response.ContentType = "application/json; charset=utf-8";
    context.Response.ContentLength64 = body.Length; // or it goes out in chunks, and the last one late
    await context.Response.OutputStream.WriteAsync(body);
    context.Response.Close();
}

record Answer(string Name, int Sum);

enum Factor { Two = 2, Three = 3, Four = 4 }
