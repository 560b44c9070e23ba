// mcs -r:System.Configuration.dll,System.Web.dll,System.Web.Mvc.dll system-web-mvc.mono.cs system-web-host.cs

using System;
using System.Web.Configuration;
using System.Web.Mvc;
using System.Web.Routing;
using System.Web.SessionState;

class Program
{
    static void Main() =>
        Host.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}/", Start);

    static void Start()
    {
        var sessions = (SessionStateSection)WebConfigurationManager.GetSection("system.web/sessionState");
        sessions.Mode = SessionStateMode.Off; // or Mono sends a cookie with every answer
        RouteTable.Routes.MapRoute("echo", "echo", new { controller = "Perf", action = "Echo" });
    }
}

public class PerfController : Controller
{
    public JsonResult Echo(string name, int x, int y, Factor factor) =>
        Json(new Answer { name = name, sum = (x + y) * (int)factor }, JsonRequestBehavior.AllowGet);
}

public class Answer
{
    public string name;
    public int sum;
}

public enum Factor { Two = 2, Three = 3, Four = 4 }
