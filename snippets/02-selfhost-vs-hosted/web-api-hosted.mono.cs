// mcs -r:System.Web.dll,System.Net.Http.dll,System.Net.Http.Formatting.dll,System.Web.Http.dll,System.Web.Http.WebHost.dll web-api-hosted.mono.cs system-web-host.cs

using System;
using System.Collections.Generic;
using System.Web.Http;

class Program
{
    static void Main() =>
        Host.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}/", Start);

    static void Start()
    {
        var config = GlobalConfiguration.Configuration; // System.Web's: its pipeline gives us requests
        config.Routes.MapHttpRoute("default-api", "api/{controller}/{id}", new { id = RouteParameter.Optional });
        config.Formatters.XmlFormatter.SupportedMediaTypes.Clear();
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
