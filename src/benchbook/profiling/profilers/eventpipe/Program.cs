// Watches a running .NET program for a few seconds, and writes what it did as JSON.
//
//   dotnet benchbook-eventpipe.dll '{"pid":123,"sockets":"/tmp","seconds":5,"asked":1795867200,
//     "sampler":"perf","intervalMicroseconds":1000,"folder":"/tmp/x","out":"/tmp/x/profile.json"}'
//
// It prints a line "// benchbook {…}" when the window begins and when it ends, and what went wrong as one line
// of standard error, with exit code 1. Its standard input is watched: when that ends, so does it. The folder
// takes the trace and, with perf, its samples.

using System.Text.Json;
using System.Text.Json.Serialization;

namespace Benchbook.Profiling;

/// <summary>
/// What is to be recorded. Sockets: the folder of the program's diagnostic socket, empty on Windows. Seconds: from when it
/// was asked for (Asked, in seconds since 1970), so that the start of this program is a part of them; half of them at least
/// are the window. Sampler: "perf", "eventpipe", or empty for none. Cpus: "0,1", which perf is to
/// sample, whatever runs there; empty: the program's threads. Cost: allocations and counters, too. Compiled: the trace
/// that the program writes of what it compiles, empty without.
/// </summary>
sealed record Request(
    int Pid,
    string Sockets,
    double Seconds,
    double Asked,
    string Sampler,
    int IntervalMicroseconds,
    string? Cpus,
    bool Cost,
    string Compiled,
    string Folder,
    string Out);

/// <summary>Why nothing can be recorded, for a reader.</summary>
sealed class RecordingException(string message) : Exception(message);

static class Program
{
    internal static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web)
    {
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingDefault,
        NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
    };

    public static async Task<int> Main(string[] arguments)
    {
        var request = JsonSerializer.Deserialize<Request>(arguments[0], Json)!;
        using var stop = new CancellationTokenSource();
        Console.CancelKeyPress += (_, about) => { about.Cancel = true; stop.Cancel(); };
        _ = Task.Run(() => { while (Console.In.Read() >= 0) { } stop.Cancel(); });
        try
        {
            var recording = await Recording.Make(request, stop.Token);
            var trace = Trace.Read(request, recording);
            var report = Report.Of(request, recording, trace);
            await using var file = File.Create(request.Out);
            await JsonSerializer.SerializeAsync(file, report, Json);
            return 0;
        }
        catch (OperationCanceledException)
        {
            Console.Error.WriteLine("it was interrupted");
            return 130;
        }
        catch (Exception error) when (error is RecordingException or IOException or UnauthorizedAccessException)
        {
            Console.Error.WriteLine(error.Message);
            return 1;
        }
    }

    internal static void Tell(object happening) =>
        Console.WriteLine($"// benchbook {JsonSerializer.Serialize(happening, Json)}");
}
