#:property TargetFramework=net48
#:property LangVersion=latest
#:property PublishAot=false
#:package Nancy.Hosting.Self

using Nancy;
using Nancy.Hosting.Self;
using Nancy.ModelBinding;

var address = new Uri($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}/");
var configuration = new HostConfiguration { RewriteLocalhost = false, AllowChunkedEncoding = false };
using var host = new NancyHost(configuration, address);
host.Start();
Thread.Sleep(Timeout.Infinite);

public class Perf : NancyModule
{
    public Perf() => Get("/echo", _ =>
    {
        var query = this.Bind<Query>(); // by the names of its properties
        return Response.AsJson(new Answer { Name = query.Name, Sum = (query.X + query.Y) * (int)query.Factor });
    });
}

public class Query
{
    public string Name { get; set; } = "";
    public int X { get; set; }
    public int Y { get; set; }
    public Factor Factor { get; set; }
}

public class Answer
{
    public string Name { get; set; } = "";
    public int Sum { get; set; }
}

public enum Factor { Two = 2, Three = 3, Four = 4 }
