// What a window showed, as it is written: equal stacks are one, and a frame is there once.

namespace Benchbook.Profiling;

/// <summary>Kind: "managed", "native", "system" (the kernel) or "stub". First: the first line of its method.</summary>
sealed record ReportFrame(string Name, string Kind, string Module, string File, int Line, int First, bool Inlined);

/// <summary>State: "cpu" of perf's samples, else the runtime's "managed" or "external". Collecting: while all stood for a collection.</summary>
sealed record ReportStack(int[] Frames, int Thread, string State, bool Collecting, int Samples);

sealed class Report
{
    readonly Dictionary<ReportFrame, int> frames = [];
    readonly Dictionary<string, (ReportStack Stack, int Count)> stacks = [];

    public static object Of(Request request, Recording recording, Trace trace)
    {
        var report = new Report();
        using var lines = new Lines();
        if (recording.Perf is { } data) report.AddNative(data, trace, lines);
        else if (request.Sampler.Length > 0) report.AddManaged(recording.Window, trace, lines);
        var (before, after) = (recording.Before, recording.After);
        return new
        {
            Core = trace.Methods.Core,
            request.Sampler,
            Seconds = after.Seconds - before.Seconds,
            CpuSeconds = (after.Cpu - before.Cpu) / 1e9,
            Threads = after.Threads.Select(each => new
            {
                Id = each.Key,
                Name = after.Names.GetValueOrDefault(each.Key, ""),
                CpuSeconds = (each.Value - before.Threads.GetValueOrDefault(each.Key)) / 1e9,
            }),
            Frames = report.frames.Keys,
            Stacks = report.stacks.Values.Select(each => each.Stack with { Samples = each.Count }),
            trace.Collections,
            PauseSeconds = trace.Pauses.Sum(each => each.To - each.From) / 1e9,
            trace.Allocated,
            trace.Counters,
            Lost = trace.Lost + (long)(recording.Perf?.Missed ?? 0),
            Methods = trace.Methods.Count,
            trace.Methods.WithInlined,
        };
    }

    void AddManaged(string path, Trace trace, Lines lines)
    {
        trace.ReadSamples(path);
        var known = new Dictionary<ulong, int[]>();
        foreach (var sample in trace.Samples)
        {
            List<int> numbers = [];
            for (var i = 0; i < sample.Addresses.Length; i++) numbers.AddRange(Managed(sample.Addresses[i], i > 0, trace, lines, known));
            Add(numbers, sample.Thread, sample.Managed ? "managed" : "external", false);
        }
    }

    void AddNative(PerfData data, Trace trace, Lines lines)
    {
        var native = new Native(data);
        var known = new Dictionary<ulong, int[]>();
        foreach (var sample in data.Samples)
        {
            List<int> numbers = [];
            for (var i = 0; i < sample.Addresses.Length; i++)
            {
                var found = Native.IsKernel(sample.Addresses[i]) ? [] : Managed(sample.Addresses[i], i > 0, trace, lines, known);
                if (found.Length > 0) numbers.AddRange(found);
                else AddOnce(numbers, native.Of(sample.Addresses, ref i));
            }
            var collecting = trace.Pauses.Exists(each => each.From <= sample.Time && sample.Time <= each.To);
            Add(numbers, sample.Thread, "cpu", collecting);
        }
    }

    /// <summary>The frames of an address, leaf first. Of a caller it is where the call returns to: the call is before it.</summary>
    int[] Managed(ulong address, bool caller, Trace trace, Lines lines, Dictionary<ulong, int[]> known)
    {
        if (caller) address--;
        if (known.TryGetValue(address, out var numbers)) return numbers;
        numbers = [.. trace.Methods.Find(address).Select(each => Number(each, lines))];
        return known[address] = numbers;
    }

    int Number(Place place, Lines lines)
    {
        var source = lines.Of(place) ?? default;
        return Number(new(place.Name, "managed", place.Module, source.File ?? "", source.Line, source.First, place.Inlined));
    }

    int Number(ReportFrame frame)
    {
        if (!frames.TryGetValue(frame, out var number)) frames[frame] = number = frames.Count;
        return number;
    }

    /// <summary>Native frames of one library are one: what it is built from is not known.</summary>
    void AddOnce(List<int> numbers, ReportFrame frame)
    {
        var number = Number(frame);
        if (numbers.Count == 0 || numbers[^1] != number) numbers.Add(number);
    }

    void Add(List<int> leafFirst, int thread, string state, bool collecting)
    {
        leafFirst.Reverse();
        var key = $"{thread} {state} {collecting} {string.Join(',', leafFirst)}";
        stacks[key] = stacks.TryGetValue(key, out var there)
            ? (there.Stack, there.Count + 1)
            : (new([.. leafFirst], thread, state, collecting, 0), 1);
    }
}
