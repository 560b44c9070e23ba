#:sdk Microsoft.NET.Sdk
#:property PublishAot=false
#:property ServerGarbageCollection=true

using System.Net;
using System.Text.Json;

var listener = new HttpListener();
listener.Prefixes.Add($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}/");
listener.Start();
var created = new DateTime(2012, 6, 11);

while (true)
{
    var context = await listener.GetContextAsync();
    _ = Task.Run(() => Answer(context.Response)); // not awaited: the next request is taken meanwhile
}

async Task Answer(HttpListenerResponse response)
{
    Foo[] foos = [new(1, "Foo 1", created), new(2, "Foo 2", created), new(3, "Foo 3", created)];
    var body = JsonSerializer.SerializeToUtf8Bytes(foos);
    response.ContentType = "application/json; charset=utf-8";
    response.ContentLength64 = body.Length;
    await response.OutputStream.WriteAsync(body);
    response.Close();
}

record Foo(int Id, string Name, DateTime CreatedOn);
