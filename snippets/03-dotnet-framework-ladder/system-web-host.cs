// System.Web without IIS: ASP.NET's own hosting interface, with requests from an HttpListener.

using System;
using System.IO;
using System.Net;
using System.Threading;
using System.Web;
using System.Web.Hosting;

class Host : MarshalByRefObject
{
    public static void Run(string address, Action start)
    {
        // the site is the folder above bin/, and runs in an application domain of its own
        var site = Path.GetDirectoryName(AppDomain.CurrentDomain.BaseDirectory.TrimEnd('/'));
        ((Host)ApplicationHost.CreateApplicationHost(typeof(Host), "/", site)).Serve(address, start);
    }

    void Serve(string address, Action start)
    {
        start();
        var listener = new HttpListener { IgnoreWriteExceptions = true }; // a client may be gone
        listener.Prefixes.Add(address);
        listener.Start();
        // threads of its own: Mono's System.Web keeps one until its request is done, an asynchronous one, too
        for (var i = 1; i < 64; i++) new Thread(() => Answer(listener)).Start();
        Answer(listener);
    }

    static void Answer(HttpListener listener)
    {
        while (true)
        {
            var request = new Request(listener.GetContext());
            try { HttpRuntime.ProcessRequest(request); }
            // Mono looks at an asynchronous request once more, which another thread may just have ended
            catch (NullReferenceException) when (request.Ended) { }
        }
    }

    public override object InitializeLifetimeService() => null; // lives as long as the program
}

class Request : SimpleWorkerRequest
{
    readonly HttpListenerContext context;

    public Request(HttpListenerContext context)
        : base(context.Request.Url.AbsolutePath.Substring(1), context.Request.Url.Query.TrimStart('?'), null) =>
        this.context = context;

    public override string GetKnownRequestHeader(int index) =>
        context.Request.Headers[GetKnownRequestHeaderName(index)];

    public override void SendStatus(int code, string text) => context.Response.StatusCode = code;

    public override void SendKnownResponseHeader(int index, string value) =>
        SendUnknownResponseHeader(GetKnownResponseHeaderName(index), value);

    public override void SendUnknownResponseHeader(string name, string value)
    {
        if (name == "Content-Length") context.Response.ContentLength64 = long.Parse(value);
        else if (name != "Transfer-Encoding") context.Response.Headers[name] = value;
    }

    public override void SendResponseFromMemory(byte[] data, int length) =>
        context.Response.OutputStream.Write(data, 0, length);

    public bool Ended { get; private set; }

    public override void EndOfRequest()
    {
        context.Response.Close();
        Ended = true;
    }
}
