// The window: an EventPipe session of the program, and perf beside it where that takes the samples.

using System.Diagnostics;
using System.Diagnostics.Tracing;
using System.Globalization;
using System.Net.Sockets;
using Microsoft.Diagnostics.NETCore.Client;

namespace Benchbook.Profiling;

/// <summary>What a window left: its trace, perf's samples, clocks at both ends.</summary>
sealed record Recording(string Window, PerfData? Perf, Clocks Before, Clocks After)
{
    const int BufferMegabytes = 32; // in the program, at most; it is read all the time
    const long MostBytes = 300L << 20; // of a trace on disk
    const long GarbageCollector = 0x1;
    static readonly TimeSpan patience = TimeSpan.FromSeconds(30); // with a busy program

    public static async Task<Recording> Make(Request request, CancellationToken stop)
    {
        var client = Client(request);
        var window = Path.Combine(request.Folder, "window.nettrace");
        // It is not disposed of: that waits for the program, which waits until we have read all. It ends when we do.
        var session = await Open(client, request, OfWindow(request), stop);
        var copy = Copy(session.EventStream, window, stop);
        using var sampling = request.Sampler == "perf" ? Profiling.Perf.Start(request) : null;
        if (sampling is not null) await Sampling(sampling.Began, stop);
        var before = Clocks.Of(request.Pid);
        Program.Tell(new { Event = "began" });
        var spent = (DateTime.UtcNow - DateTime.UnixEpoch).TotalSeconds - request.Asked;
        var end = Task.Delay(TimeSpan.FromSeconds(request.Seconds - Math.Clamp(spent, 0, request.Seconds / 2)), stop);
        if (await Task.WhenAny(end, copy) == copy) throw Gone(request, await copy);
        await end;
        var after = Clocks.Of(request.Pid);
        Program.Tell(new { Event = "ended" });
        if (sampling is not null) await sampling.Stop(stop);
        await Close(session, copy, request, stop);
        return new Recording(window, sampling is null ? null : PerfData.Of(sampling.Data, request.Pid), before, after);
    }

    static async Task Sampling(Task began, CancellationToken stop)
    {
        try
        {
            await began.WaitAsync(patience, stop);
        }
        catch (TimeoutException)
        {
            throw new RecordingException($"perf did not begin to sample within {patience.TotalSeconds:0} s");
        }
    }

    static async Task Close(EventPipeSession session, Task<bool> copy, Request request, CancellationToken stop)
    {
        try
        {
            await session.StopAsync(stop).WaitAsync(patience, stop);
            if (!await copy.WaitAsync(patience, stop)) throw Gone(request, false);
        }
        catch (TimeoutException)
        {
            throw new RecordingException($"the program (process {request.Pid}) did not tell its methods within {patience.TotalSeconds:0} s");
        }
        catch (Exception error) when (error is EndOfStreamException or ServerNotAvailableException or SocketException)
        {
            throw Gone(request, true);
        }
    }

    static RecordingException Gone(Request request, bool whole) =>
        new(whole ? $"the program (process {request.Pid}) ended while it was recorded" : $"the trace is larger than {MostBytes >> 20} MB: record fewer seconds");

    /// <summary>Its socket lies in its own folder for temporary files, where the library looks in ours.</summary>
    static DiagnosticsClient Client(Request request)
    {
        if (request.Sockets.Length > 0) Environment.SetEnvironmentVariable("TMPDIR", request.Sockets);
        return new DiagnosticsClient(request.Pid);
    }

    static List<EventPipeProvider> OfWindow(Request request)
    {
        var level = request.Cost ? EventLevel.Verbose : EventLevel.Informational; // allocations are verbose
        List<EventPipeProvider> providers = [new("Microsoft-Windows-DotNETRuntime", level, GarbageCollector)];
        if (request.Sampler == "eventpipe") providers.Add(new("Microsoft-DotNETCore-SampleProfiler", EventLevel.Informational));
        var every = new Dictionary<string, string> { ["EventCounterIntervalSec"] = "1" };
        if (request.Cost) providers.Add(new("System.Runtime", EventLevel.Informational, 0, every));
        return providers;
    }

    static async Task<EventPipeSession> Open(DiagnosticsClient client, Request request, IEnumerable<EventPipeProvider> providers, CancellationToken stop)
    {
        try
        {
            return await client.StartEventPipeSessionAsync(providers, requestRundown: request.Sampler.Length > 0, BufferMegabytes, stop).WaitAsync(patience, stop);
        }
        catch (TimeoutException)
        {
            throw new RecordingException($"the program (process {request.Pid}) gives no events: it did not answer within {patience.TotalSeconds:0} s");
        }
        catch (Exception error) when (error is SocketException or DiagnosticsClientException or IOException or UnauthorizedAccessException)
        {
            throw new RecordingException($"the program (process {request.Pid}) gives no events: {error.Message}");
        }
    }

    /// <summary>Write what comes to a file, to its end; false where that would be too much.</summary>
    static async Task<bool> Copy(Stream events, string path, CancellationToken stop)
    {
        var buffer = new byte[1 << 16];
        await using var file = File.Create(path);
        for (var total = 0L; total < MostBytes;)
        {
            int count;
            try
            {
                count = await events.ReadAsync(buffer, stop);
            }
            catch (Exception error) when (error is SocketException or ObjectDisposedException or IOException)
            {
                return true; // the program is gone, or the session has been ended
            }
            if (count == 0) return true;
            await file.WriteAsync(buffer.AsMemory(0, count), stop);
            total += count;
        }
        return false;
    }
}

/// <summary>CPU time in ns of a process and its threads, by their ids, their names, and the monotonic clock.</summary>
sealed record Clocks(double Seconds, long Cpu, Dictionary<int, long> Threads, Dictionary<int, string> Names)
{
    public static Clocks Of(int pid)
    {
        var (threads, names) = (new Dictionary<int, long>(), new Dictionary<int, string>());
        try
        {
            if (OperatingSystem.IsLinux()) OfLinux(pid, threads, names);
            else OfOthers(pid, threads);
        }
        catch (Exception error) when (error is ArgumentException or InvalidOperationException or DirectoryNotFoundException)
        {
            throw new RecordingException($"the program (process {pid}) is gone");
        }
        return new(Stopwatch.GetTimestamp() / (double)Stopwatch.Frequency, threads.Values.Sum(), threads, names);
    }

    static void OfLinux(int pid, Dictionary<int, long> threads, Dictionary<int, string> names)
    {
        foreach (var folder in Directory.EnumerateDirectories($"/proc/{pid}/task"))
        {
            try
            {
                var id = int.Parse(Path.GetFileName(folder), CultureInfo.InvariantCulture);
                threads[id] = long.Parse(File.ReadAllText($"{folder}/schedstat").Split(' ')[0], CultureInfo.InvariantCulture);
                names[id] = File.ReadAllText($"{folder}/comm").Trim();
            }
            catch (IOException)
            {
                // a thread that has just ended
            }
        }
    }

    static void OfOthers(int pid, Dictionary<int, long> threads)
    {
        using var process = Process.GetProcessById(pid);
        foreach (ProcessThread thread in process.Threads)
        {
            if (OperatingSystem.IsWindows() || OperatingSystem.IsMacOS()) threads[thread.Id] = thread.TotalProcessorTime.Ticks * 100;
        }
    }
}
