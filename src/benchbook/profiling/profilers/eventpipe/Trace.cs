// What a trace tells: the program's methods and where their code lies, collections, allocations, samples.

using System.Globalization;
using Microsoft.Diagnostics.Tracing;
using Microsoft.Diagnostics.Tracing.Etlx;
using Microsoft.Diagnostics.Tracing.EventPipe;
using Microsoft.Diagnostics.Tracing.Parsers;
using Microsoft.Diagnostics.Tracing.Parsers.Clr;

namespace Benchbook.Profiling;

/// <summary>A collection: when all threads stood for it, in ns of the monotonic clock.</summary>
sealed record Pause(long From, long To);

/// <summary>A sample that the runtime took of one thread. Addresses: from the leaf to the root.</summary>
sealed record ManagedSample(int Thread, bool Managed, ulong[] Addresses);

sealed class Trace
{
    static readonly Guid privateProvider = new("763fd754-7086-4dfe-95eb-c01a46faf4ca");
    const int RichDebugInfo = 189;

    public MethodMap Methods { get; } = new();
    public List<Pause> Pauses { get; } = [];
    public List<ManagedSample> Samples { get; } = [];
    public int[] Collections { get; } = new int[3];
    public long Allocated { get; private set; }
    public Dictionary<string, List<double>> Counters { get; } = [];
    public int Lost { get; private set; }

    long suspended;

    /// <summary>Throws RecordingException where the window's trace can't be read.</summary>
    public static Trace Read(Request request, Recording recording)
    {
        var trace = new Trace();
        try
        {
            if (request.Compiled.Length > 0 && File.Exists(request.Compiled)) trace.ReadCompiled(request.Compiled);
            using var source = new EventPipeEventSource(recording.Window);
            trace.Listen(source);
            source.Process();
            trace.Lost = source.EventsLost;
        }
        catch (Exception error) when (error is FormatException or EndOfStreamException or InvalidDataException)
        {
            throw new RecordingException($"its events can't be read: {error.Message}");
        }
        if (request.Sampler.Length > 0) Handles.Name(request.Pid, trace.Methods);
        trace.Methods.Sort();
        return trace;
    }

    /// <summary>What the program has written so far of what it compiled, which ends anywhere.</summary>
    void ReadCompiled(string path)
    {
        using var shared = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        using var source = new EventPipeEventSource(shared);
        source.Clr.MethodLoadVerbose += Methods.Add;
        source.AllEvents += about =>
        {
            if (about.ProviderGuid == privateProvider && (int)about.ID == RichDebugInfo) Methods.AddInlined(about.EventData());
        };
        try
        {
            source.Process();
        }
        catch (Exception)
        {
            // the end of what is there: the reader has no exception of its own for that
        }
    }

    void Listen(EventPipeEventSource source)
    {
        var rundown = new ClrRundownTraceEventParser(source);
        rundown.MethodDCStopVerbose += Methods.Add;
        rundown.MethodILToNativeMapDCStop += Methods.AddLines;
        rundown.LoaderModuleDCStop += Methods.Add;
        source.Clr.GCStart += about => Collections[Math.Clamp(about.Depth, 0, 2)]++;
#pragma warning disable CS0618 // discouraged, but it is the clock that perf's samples have
        source.Clr.GCSuspendEEStart += about => suspended = ForCollection(about.Reason) ? about.TimeStampQPC : 0;
        source.Clr.GCRestartEEStop += about =>
        {
            if (suspended > 0) Pauses.Add(new(suspended, about.TimeStampQPC));
            suspended = 0;
        };
#pragma warning restore CS0618
        source.Clr.GCAllocationTick += about => Allocated += about.AllocationAmount64;
        source.Dynamic.All += Count;
    }

    static bool ForCollection(GCSuspendEEReason reason) =>
        reason is GCSuspendEEReason.SuspendForGC or GCSuspendEEReason.SuspendForGCPrep;

    /// <summary>A counter of System.Runtime: its mean or its increment in an interval.</summary>
    void Count(TraceEvent about)
    {
        if (about.ProviderName != "System.Runtime" || about.EventName != "EventCounters") return;
        if (about.PayloadByName("Payload") is not IDictionary<string, object> { } payload) payload = (IDictionary<string, object>)about.PayloadValue(0);
        if (payload.TryGetValue("Payload", out var inner) && inner is IDictionary<string, object> values) payload = values;
        var name = payload["Name"].ToString()!;
        var value = payload.TryGetValue("Increment", out var increment) ? increment : payload["Mean"];
        if (!Counters.TryGetValue(name, out var list)) Counters[name] = list = [];
        list.Add(Convert.ToDouble(value, CultureInfo.InvariantCulture));
    }

    /// <summary>The samples that the runtime took itself; they are in a trace only in part, so all is read once more.</summary>
    public void ReadSamples(string path)
    {
        var converted = TraceLog.CreateFromEventPipeDataFile(path, path + ".etlx", new TraceLogOptions { ContinueOnError = true });
        using var log = new TraceLog(converted);
        var source = log.Events.GetSource();
        List<ulong> addresses = [];
        new SampleProfilerTraceEventParser(source).ThreadSample += about =>
        {
            addresses.Clear();
            for (var frame = about.CallStack(); frame is not null; frame = frame.Caller) addresses.Add(frame.CodeAddress.Address);
            if (addresses.Count > 0) Samples.Add(new(about.ThreadID, about.Type == ClrThreadSampleType.Managed, [.. addresses]));
        };
        source.Process();
    }
}
