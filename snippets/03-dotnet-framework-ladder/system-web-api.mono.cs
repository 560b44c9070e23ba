// mcs -r:System.Web.dll,System.Net.Http.dll,System.Web.Http.dll,System.Web.Http.WebHost.dll system-web-api.mono.cs system-web-host.cs

using System;
using System.Web.Http;

class Program
{
    static void Main() =>
        Host.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}/", Start);

    static void Start() =>
        GlobalConfiguration.Configuration.Routes.MapHttpRoute("echo", "echo", new { controller = "Perf" });
}

public class PerfController : ApiController
{
    public Answer Get(string name, int x, int y, Factor factor) =>
        new Answer { name = name, sum = (x + y) * (int)factor };
}

public class Answer
{
    public string name;
    public int sum;
}

public enum Factor { Two = 2, Three = 3, Four = 4 }
