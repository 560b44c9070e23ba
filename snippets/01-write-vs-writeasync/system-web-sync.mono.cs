// mcs -r:System.Web.dll system-web-sync.mono.cs system-web-host.cs

using System;
using System.Text;
using System.Web;
using System.Web.Routing;

class Program
{
    static void Main() =>
        Host.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}/", Start);

    static void Start() => RouteTable.Routes.Add(new Route("", new Handler()));
}

class Handler : IHttpHandler, IRouteHandler
{
    static readonly byte[] body = Encoding.UTF8.GetBytes("{\"hello\":\"world\"}");

    public bool IsReusable => true;

    public IHttpHandler GetHttpHandler(RequestContext context) => this;

    public void ProcessRequest(HttpContext context)
    {
        context.Response.ContentType = "application/json; charset=utf-8";
        context.Response.OutputStream.Write(body, 0, body.Length); // into memory: it is sent when we return
    }
}
