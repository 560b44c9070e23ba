#:property PublishAot=false
#:property ServerGarbageCollection=true

using System.Net;

var body = """{"hello":"world"}"""u8.ToArray();
var listener = new HttpListener();
listener.Prefixes.Add($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}/");
listener.Start();

while (true)
{
    var context = await listener.GetContextAsync();
    _ = Task.Run(() => Answer(context.Response));
}

void Answer(HttpListenerResponse response)
{
    response.ContentType = "application/json; charset=utf-8";
    response.ContentLength64 = body.Length;
    response.OutputStream.Write(body, 0, body.Length); // if the client is slow, a thread waits here
    response.Close();
}
