// The .NET side of a notebook's C# session: evaluates cells, keeps their state, reports what they print.
//
// Started by csharp.py as `dotnet benchbook-csharp.dll '{"in":3,"out":4,…}'`.

using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Benchbook;

var settings = JsonSerializer.Deserialize<Settings>(args[0], JsonSerializerOptions.Web)!;
Directory.SetCurrentDirectory(settings.Directory);
Environment.SetEnvironmentVariable("TMPDIR", settings.Temporary); // .NET has opened its own files, which go with it
var channel = new Channel(settings);
var output = new CellOutput(channel, settings.MaxOutputChars);
var session = new Session(settings, channel, output);
Console.OutputEncoding = Encoding.UTF8;
Notebook.Attach(output, session);
AppDomain.CurrentDomain.ProcessExit += (_, _) =>
{
    output.Flush();
    channel.Dispose();
};
AppDomain.CurrentDomain.UnhandledException += (_, happened) =>
{
    output.Print("stderr", $"Unhandled, in the background: {Errors.Describe((Exception)happened.ExceptionObject)}\n");
    output.Flush();
    channel.Dispose();
};
TaskScheduler.UnobservedTaskException += (_, happened) =>
{
    happened.SetObserved();
    output.Print("stderr", $"Unobserved, in a task: {Errors.Describe(happened.Exception)}\n");
};
session.Start();
channel.Send(new JsonObject { ["op"] = "ready", ["version"] = Environment.Version.ToString() });
channel.Listen(session.Receive);
