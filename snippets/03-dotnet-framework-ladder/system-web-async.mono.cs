// mcs -r:System.Web.dll,System.Web.Extensions.dll system-web-async.mono.cs system-web-host.cs

using System;
using System.Text;
using System.Threading.Tasks;
using System.Web;
using System.Web.Routing;
using System.Web.Script.Serialization;

class Program
{
    static void Main() =>
        Host.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}/", Start);

    static void Start() =>
        RouteTable.Routes.Add(new Route("echo", new Handler()));
}

class Handler : HttpTaskAsyncHandler, IRouteHandler
{
    public override bool IsReusable => true;

    public IHttpHandler GetHttpHandler(RequestContext context) => this;

    public override Task ProcessRequestAsync(HttpContext context)
    {
        var query = context.Request.QueryString;
        var factor = (int)Enum.Parse(typeof(Factor), query["factor"]);
        var answer = new Answer { name = query["name"], sum = (int.Parse(query["x"]) + int.Parse(query["y"])) * factor };
        var body = Encoding.UTF8.GetBytes(new JavaScriptSerializer().Serialize(answer));
        context.Response.ContentType = "application/json; charset=utf-8";
        return context.Response.OutputStream.WriteAsync(body, 0, body.Length); // the same, on another thread
    }
}

public class Answer
{
    public string name;
    public int sum;
}

public enum Factor { Two = 2, Three = 3, Four = 4 }
