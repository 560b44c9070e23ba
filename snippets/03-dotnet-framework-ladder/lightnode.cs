#:property TargetFramework=net48
#:property LangVersion=latest
#:property PublishAot=false
#:package Microsoft.Owin.Hosting
#:package Microsoft.Owin.Host.HttpListener
#:package LightNode.Server
#:package LightNode.Formatter.JsonNet

using LightNode.Formatter;
using LightNode.Server;
using Microsoft.Owin;
using Microsoft.Owin.Hosting;
using Newtonsoft.Json;
using Owin;

var address = $"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}/";
using (WebApp.Start(address, Configure))
{
    Thread.Sleep(Timeout.Infinite);
}

static void Configure(IAppBuilder app)
{
    app.Use((context, next) =>
    {
        // LightNode's paths are /Class/Method; this race asks for /echo
        if (context.Request.Path.Value == "/echo") context.Request.Path = new PathString("/Perf/Echo");
        return next();
    });
    app.UseLightNode(new LightNodeOptions(AcceptVerbs.Get, new JsonNetContentFormatter())
    {
        ParameterEnumAllowsFieldNameParse = true, // "Four" as well as "4", as all others here
    });
}

public class Perf : LightNodeContract
{
    public Answer Echo(string name, int x, int y, Factor factor) =>
        new Answer { Name = name, Sum = (x + y) * (int)factor }; // called by a delegate, compiled at the start
}

public class Answer
{
    [JsonProperty("name")] public string Name = "";
    [JsonProperty("sum")] public int Sum;
}

public enum Factor { Two = 2, Three = 3, Four = 4 }
