// A chain of calls, each of which adds one to what the next one returns; at its end the result is there, or comes later.
//
// "Later" is when SetResult is called: on the same thread, after all of the chain has been suspended. So what is timed is what
// it takes to suspend and to resume, and no other thread, timer or socket.

using BenchmarkDotNet.Attributes;

public class Chain
{
    [Params(1, 5, 20)]
    public int Depth = 1;

    [Benchmark(Baseline = true)]
    public int Sync() => BySync.Down(Depth);

    [Benchmark]
    public int Task() => ByTask.Down(Depth, null).GetAwaiter().GetResult();

    [Benchmark]
    public int ValueTask() => ByValueTask.Down(Depth, null).GetAwaiter().GetResult();

    [Benchmark]
    public int TaskWaiting()
    {
        var later = new TaskCompletionSource<int>();
        var all = ByTask.Down(Depth, later.Task);
        later.SetResult(1000);
        return all.GetAwaiter().GetResult();
    }

    [Benchmark]
    public int ValueTaskWaiting()
    {
        var later = new TaskCompletionSource<int>();
        var all = ByValueTask.Down(Depth, later.Task);
        later.SetResult(1000);
        return all.AsTask().GetAwaiter().GetResult();
    }

    [GlobalSetup] // they are compared on work that all of them do alike
    public void Check()
    {
        int[] all = [Sync(), Task(), ValueTask(), TaskWaiting(), ValueTaskWaiting()];
        if (all.Any(each => each != 999 + Depth)) throw new InvalidOperationException($"they return {string.Join(", ", all)}");
    }
}
