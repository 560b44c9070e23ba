// mcs -r:System.Net.Http.dll,System.Net.Http.Formatting.dll,System.Web.Http.dll web-api-self-host.mono.cs

using System;
using System.Collections.Generic;
using System.Net;
using System.Net.Http;
using System.Threading;
using System.Web.Http;

class Program
{
    static void Main()
    {
        var config = new HttpConfiguration();
        config.Routes.MapHttpRoute("default-api", "api/{controller}/{id}", new { id = RouteParameter.Optional });
        config.Formatters.XmlFormatter.SupportedMediaTypes.Clear();
        var server = new HttpMessageInvoker(new HttpServer(config));
        var listener = new HttpListener { IgnoreWriteExceptions = true }; // a client may be gone
        listener.Prefixes.Add($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}/");
        listener.Start();
        for (var i = 0; i < 64; i++)
            new Thread(() => { while (true) Answer(server, listener.GetContext()); }).Start();
    }

    static void Answer(HttpMessageInvoker server, HttpListenerContext context)
    {
        var request = new HttpRequestMessage(HttpMethod.Get, context.Request.Url);
        var answer = server.SendAsync(request, CancellationToken.None).Result; // Web API alone, no System.Web
        var body = answer.Content.ReadAsByteArrayAsync().Result;
        context.Response.StatusCode = (int)answer.StatusCode;
        context.Response.ContentType = answer.Content.Headers.ContentType.ToString();
        context.Response.ContentLength64 = body.Length;
        context.Response.OutputStream.Write(body, 0, body.Length);
        context.Response.Close();
    }
}

public class TestApiController : ApiController
{
    public IList<Foo> GetAll() => new List<Foo>
    {
        new Foo { Id = 1, Name = "Foo 1", CreatedOn = new DateTime(2012, 6, 11) },
        new Foo { Id = 2, Name = "Foo 2", CreatedOn = new DateTime(2012, 6, 11) },
        new Foo { Id = 3, Name = "Foo 3", CreatedOn = new DateTime(2012, 6, 11) },
    };
}

public class Foo { public int Id; public string Name; public DateTime CreatedOn; }
