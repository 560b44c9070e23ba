// mcs -r:System.Web.dll system-web-async.mono.cs system-web-host.cs

using System;
using System.Text;
using System.Threading.Tasks;
using System.Web;
using System.Web.Routing;

class Program
{
    static void Main() =>
        Host.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}/", Start);

    static void Start() => RouteTable.Routes.Add(new Route("", new Handler()));
}

class Handler : HttpTaskAsyncHandler, IRouteHandler
{
    static readonly byte[] body = Encoding.UTF8.GetBytes("{\"hello\":\"world\"}");

    public override bool IsReusable => true;

    public IHttpHandler GetHttpHandler(RequestContext context) => this;

    public override Task ProcessRequestAsync(HttpContext context)
    {
        context.Response.ContentType = "application/json; charset=utf-8";
        return context.Response.OutputStream.WriteAsync(body, 0, body.Length); // the same, on another thread
    }
}
