#:property TargetFramework=net48
#:property LangVersion=latest
#:property PublishAot=false
#:package Microsoft.Owin.Hosting
#:package Microsoft.Owin.Host.HttpListener
#:package Newtonsoft.Json

using System.Text;
using Microsoft.Owin;
using Microsoft.Owin.Hosting;
using Newtonsoft.Json;
using Owin;

var address = $"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}/";
using (WebApp.Start(address, app => app.Run(Echo)))
{
    Thread.Sleep(Timeout.Infinite);
}

static Task Echo(IOwinContext context)
{
    var query = context.Request.Query;
    var factor = (int)Enum.Parse(typeof(Factor), query["factor"]);
    var answer = new Answer { Name = query["name"], Sum = (int.Parse(query["x"]) + int.Parse(query["y"])) * factor };
    var body = Encoding.UTF8.GetBytes(JsonConvert.SerializeObject(answer));
    context.Response.ContentType = "application/json; charset=utf-8";
    context.Response.ContentLength = body.Length;
    context.Response.Body.Write(body, 0, body.Length); // OWIN's environment is a dictionary, and this its stream
    return Task.FromResult(0);
}

class Answer
{
    [JsonProperty("name")] public string Name = "";
    [JsonProperty("sum")] public int Sum;
}

enum Factor { Two = 2, Three = 3, Four = 4 }
