#:property PublishAot=false
#:property ServerGarbageCollection=true

using System.Net;

var body = new byte[65_536];
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
    response.ContentType = "application/octet-stream";
    response.ContentLength64 = body.Length;
    response.OutputStream.Write(body, 0, body.Length); // if the client is slow, a thread waits here
    response.Close();
}
