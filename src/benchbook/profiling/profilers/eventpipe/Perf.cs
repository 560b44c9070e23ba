// `perf record` of a process: where its threads were, kernel and native code included, each so many µs of CPU time.

using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;

namespace Benchbook.Profiling;

sealed class Perf : IDisposable
{
    const int HeaderBytes = 4096; // at most

    readonly Process process;

    public string Data { get; }

    /// <summary>Completed when it samples, or has failed.</summary>
    public Task Began { get; }

    Perf(Process process, string data)
    {
        (this.process, Data) = (process, data);
        Began = Wait();
    }

    public static Perf Start(Request request)
    {
        var data = Path.Combine(request.Folder, "perf.data");
        string[] whom = request.Cpus is { Length: > 0 } cpus ? ["-a", "-C", cpus] : ["-p", request.Pid.ToString(CultureInfo.InvariantCulture)];
        string[] options =
        [
            "record", "-q", "-e", "cpu-clock", "-c", (request.IntervalMicroseconds * 1000).ToString(CultureInfo.InvariantCulture),
            "-g", "-k", "CLOCK_MONOTONIC", .. whom, "-o", data, "--no-buildid", "--no-buildid-cache",
        ];
        var start = new ProcessStartInfo("perf", options)
        {
            RedirectStandardError = true,
            RedirectStandardOutput = true,
            WorkingDirectory = request.Folder,
        };
        try
        {
            return new Perf(Process.Start(start)!, data);
        }
        catch (Win32Exception error)
        {
            throw new RecordingException($"perf can't be started: {error.Message}");
        }
    }

    async Task Wait()
    {
        // it writes a header, opens its counters, writes what is mapped, and then samples
        while (!process.HasExited && !(File.Exists(Data) && new FileInfo(Data).Length > HeaderBytes)) await Task.Delay(5);
    }

    /// <summary>Stop sampling. Throws RecordingException with perf's own words where it failed.</summary>
    public async Task Stop(CancellationToken stop)
    {
        if (!process.HasExited)
        {
            using var kill = Process.Start("kill", ["-INT", process.Id.ToString(CultureInfo.InvariantCulture)]);
            await process.WaitForExitAsync(stop);
        }
        if (File.Exists(Data) && new FileInfo(Data).Length > 0) return;
        var lines = (await process.StandardError.ReadToEndAsync(stop)).Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        throw new RecordingException($"perf can't sample: {lines.FirstOrDefault("it said nothing")}");
    }

    /// <summary>End it, if it still runs: nobody wants its samples any more.</summary>
    public void Dispose()
    {
        if (!process.HasExited)
        {
            process.Kill();
            process.WaitForExit();
        }
        process.Dispose();
    }
}
