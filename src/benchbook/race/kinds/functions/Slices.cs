// Times one [Benchmark] method in a process of its own, in slices, whenever it is told to.
//
//   echo 0.5 | dotnet Benchmarks.dll --slices Sums.Loop [N=10]
//
// The protocol is that of harness.mjs: every line of standard input is a number of seconds, for each a
// line "// benchbook {…}" is printed, and it ends when its standard input does. Who finds the method, its
// parameters and its setup makes a Subject of them: BenchmarkDotNet (Harness.cs), or Methods.cs for a
// reader's own file. BenchmarkDotNet's own runs are not used, because they time one entry after the other, for
// seconds each: where a machine's speed changes by half within a second, as in a cloud, two equal methods
// seem to differ by a third.
//
// A slice's time is CPU time, in which what the machine gives to others is not; of a method that
// waits, and on Windows, whose clock of CPU time is too coarse, it is the wall clock's. What calling an
// empty method takes is timed in the same slice and subtracted, as BenchmarkDotNet does it.
//
// Where data come to lie, and what is compiled first, is drawn anew by each process from BENCHBOOK_LAYOUT, as in
// harness.mjs. What is said is written by hand: System.Text.Json's first object takes 0.1 s of the CPU.

using System.Diagnostics;
using System.Globalization;
using System.Linq.Expressions;
using System.Reflection;
using System.Runtime;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Benchbook.Micro;

/// <summary>A method that is timed, bound and set up. Operations: those of a call; Cleanup: called in the end.</summary>
sealed record Subject(MethodInfo Method, object? Instance, object?[] Arguments, int Operations = 1, MethodInfo? Cleanup = null)
{
    /// <summary>Give a property or a field a value.</summary>
    public static void Set(Type type, object? instance, string name, object? value)
    {
        const BindingFlags Any = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static;
        if (type.GetProperty(name, Any) is { } property) property.SetValue(instance, value);
        else type.GetField(name, Any)!.SetValue(instance, value);
    }

    /// <summary>Call a method of setup or cleanup, and wait for it.</summary>
    public static void Invoke(MethodInfo? method, object? instance)
    {
        if (method?.Invoke(instance, null) is { } result) Awaited(result);
    }

    /// <summary>Wait for a task of any kind: what comes of it, null where that is nothing; other values are ready.</summary>
    public static object? Awaited(object? value)
    {
        if (value is ValueTask later) value = later.AsTask();
        if (value?.GetType() is { IsGenericType: true } type && type.GetGenericTypeDefinition() == typeof(ValueTask<>))
        {
            value = type.GetMethod(nameof(ValueTask.AsTask))!.Invoke(value, null)!;
        }
        if (value is not Task task) return value;
        task.GetAwaiter().GetResult();
        var result = task.GetType().GetProperty("Result")?.GetValue(task);
        return result?.GetType().Name == "VoidTaskResult" ? null : result;
    }
}

/// <summary>Keeps what a method returns, so that the optimiser can't drop the work as unused.</summary>
sealed class Sink
{
    volatile object? reference;
    long number;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Keep<T>(T value)
    {
        if (!typeof(T).IsValueType) reference = value;
        else if (typeof(T).IsPrimitive) Unsafe.As<long, T>(ref number) = value;
        else Take(in value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Take<T>(in T value) => _ = value;
}

/// <summary>How often the system took the CPU from this process: getrusage(2), ru_nivcsw, the last of 18 words.</summary>
static class Switches
{
    const int Words = 18;

    static readonly long[] used = new long[Words];

    public static long Forced() => !OperatingSystem.IsWindows() && GetResourceUsage(0, used) == 0 ? used[^1] : 0;

    [System.Runtime.InteropServices.DllImport("libc", EntryPoint = "getrusage")]
    static extern int GetResourceUsage(int who, long[] used);
}

static class Slices
{
    internal static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web)
    {
        TypeInfoResolver = new DefaultJsonTypeInfoResolver(), // also in programs made for Native AOT
    };

    internal const string NoIterations = "an [IterationSetup] or [IterationCleanup] can't be timed in slices: use [GlobalSetup]";

    const string Mark = "// benchbook ";
    const double SliceSeconds = 0.01; // where a slice is compared with nothing
    const int Looks = 8;
    const double Removed = 1.3, Suspect = 2; // times an empty method: as good as empty; no doubt
    const double Faster = 0.9; // of what it took when it was found to be more than empty: it is looked at again
    const int Growth = 10; // of the calls of a slice, at most, while it is not known how long they take
    // The calls of a slice follow its speed slowly, so that one which was disturbed counts as the others do; what takes
    // so small a part of its time is taken anew.
    const int Smoothing = 8, MuchFaster = 4;
    const int MostWaiting = 20; // where wall time is more than so many times CPU time, it waits
    const int EmptyShare = 8; // of a slice's calls once more, to an empty method
    const int LeadShare = 16; // of a slice's calls before it, which fill the caches: others used them meanwhile
    const int MostPieces = 64, MostBytes = 16384; // of the heap, taken first, and of such a piece

    const int Rehearsals = 50, Tiers = 3; // more than the calls before a tier; with probes, without, and what came late
    const double WarmSeconds = 0.06; // of the method, in all of these
    const int Few = 8, MostRounds = 10; // methods that don't count; of a method that compiles some each time
    const int WaitMilliseconds = 10, MostWaits = 20;
    const double Idle = 0.1; // of a CPU

    static int rehearsed;
    static byte[][] taken = [];
    static double found = double.NaN; // seconds of a call in its fastest slice, then; with NaN nothing compares

    /// <summary>Time what `find` gives; the exit code.</summary>
    public static int Run(Func<Subject> find)
    {
        try
        {
            Answer(find());
            return 0;
        }
        catch (Exception error)
        {
            var inner = error is TargetInvocationException { InnerException: { } cause } ? cause : error;
            Console.Error.WriteLine(inner);
            return 1;
        }
    }

    static void Answer(Subject about)
    {
        var draw = new Random(int.TryParse(Environment.GetEnvironmentVariable("BENCHBOOK_LAYOUT")?.Split(' ')[0], out var seed) ? seed : 0);
        taken = [.. Enumerable.Range(0, draw.Next(MostPieces)).Select(_ => new byte[draw.Next(MostBytes)])];
        var (subject, nothing) = Loops.Of(about);
        if (draw.Next(2) > 0) subject.Once(1);
        for (var look = 0; look < Looks; look++) nothing.Slice(SliceSeconds / 4);
        Rehearse(subject, nothing);
        Tell($$"""{"runtime":"{{Environment.Version}}"}""");
        using var questions = new StreamReader(Console.OpenStandardInput());
        Converse(questions, Mark, seconds => Measured(subject, nothing, about.Operations, seconds));
        Subject.Invoke(about.Cleanup, about.Instance);
        GC.KeepAlive(taken);
    }

    static void Converse(StreamReader questions, string mark, Func<double, string> measured)
    {
        while (questions.ReadLine() is { } line) Tell(measured(double.Parse(line, CultureInfo.InvariantCulture)), mark);
    }

    static string Measured(Loop subject, Loop nothing, int operationsPerCall, double wanted)
    {
        subject.Lead();
        var (allocated, collections, switches) = (GC.GetTotalAllocatedBytes(precise: true), GC.CollectionCount(0), Switches.Forced());
        var (seconds, calls) = subject.Slice(wanted);
        (collections, switches) = (GC.CollectionCount(0) - collections, Switches.Forced() - switches);
        allocated = GC.GetTotalAllocatedBytes(precise: true) - allocated;
        var (empty, emptyCalls) = nothing.Once(Math.Max(1, calls / EmptyShare));
        var call = Math.Min(empty / emptyCalls, Suspect * nothing.Best); // others may have had the CPU meanwhile
        double operations = calls * operationsPerCall;
        return string.Create(CultureInfo.InvariantCulture, $$"""
            {"seconds":{{seconds - call * calls}},"operations":{{operations}},"allocated":{{allocated / operations}},"collections":{{collections}},"switches":{{switches}},"empty":{{(IsEmpty(subject, nothing) ? "true" : "false")}}}
            """);
    }

    /// <summary>
    /// Do all that is done for a slice, until the runtime compiles nothing more of it. It does so in the background,
    /// when something was called 30 times and again 30 times later, and its CPU time would be taken for the method's:
    /// without this the first 80 slices of 5 ms took 40 % more than the others. Beside other work that takes long, and
    /// looks like an end, so what is compiled is counted.
    /// </summary>
    static void Rehearse(Loop subject, Loop nothing)
    {
        var some = new Loop(calls => { for (long i = 0; i < calls; i++) Some(); }, waits: false);
        var lines = string.Concat(Enumerable.Repeat("0.00002\n", Rehearsals));
        var compiled = 0L;
        for (var round = 1; round <= MostRounds; round++)
        {
            using var questions = new StreamReader(new MemoryStream(Encoding.UTF8.GetBytes(lines)));
            Converse(questions, "// rehearsal ", seconds => Measured(some, nothing, 1, seconds)); // nobody reads those
            var begun = Stopwatch.GetTimestamp();
            for (var call = 0; call < Rehearsals && Stopwatch.GetElapsedTime(begun).TotalSeconds < SliceSeconds; call++) subject.Once(1);
            subject.Forget(); // single calls tell little of its speed
            for (var warm = 0.0; warm < WarmSeconds / Tiers;) warm += subject.Slice(SliceSeconds / 2).Seconds;
            for (var wait = 0; wait < MostWaits; wait++)
            {
                var before = Loop.CpuSeconds();
                Thread.Sleep(WaitMilliseconds);
                if (Loop.CpuSeconds() - before < Idle * WaitMilliseconds / 1000) break;
            }
            var now = JitInfo.GetCompiledMethodCount();
            if (round >= Tiers && now - compiled <= Few) break;
            compiled = now;
        }
        subject.Forget(); // what it took while it was compiled
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization | MethodImplOptions.NoInlining)]
    static void Some()
    {
        for (var i = 0; i < 200; i++) Volatile.Write(ref rehearsed, i);
    }

    /// <summary>
    /// Is it as fast as nothing? Both are looked at again, in turn and longer each time, before that is said: on a
    /// machine that is busy elsewhere the fastest slice of a moment tells little. It takes most of a second, so what was
    /// found to be more than empty is not asked after each slice.
    /// </summary>
    static bool IsEmpty(Loop subject, Loop nothing)
    {
        if (subject.Best > Faster * found) return false;
        for (var look = 0; look < Looks; look++)
        {
            if (subject.Best > Suspect * nothing.Best) return false;
            nothing.Slice(SliceSeconds * (1 + look));
            subject.Slice(SliceSeconds * (1 + look));
        }
        var empty = subject.Best < Removed * nothing.Best;
        found = empty ? double.NaN : subject.Best;
        return empty;
    }

    internal static void Say(object result) => Tell(JsonSerializer.Serialize(result, Json));

    static void Tell(string line, string mark = Mark) => Console.WriteLine(mark + line);

    /// <summary>A loop over calls of one method, and how many it makes a second, as it went last.</summary>
    internal sealed class Loop(Action<long> calling, bool waits)
    {
        readonly bool byWall = waits || OperatingSystem.IsWindows();
        double speed;
        long last; // calls of the last slice

        /// <summary>Seconds of a call in the fastest slice.</summary>
        public double Best { get; private set; } = double.PositiveInfinity;

        public void Forget() => (speed, Best) = (0, double.PositiveInfinity);

        /// <summary>Some calls before a slice; none where a slice has few.</summary>
        public void Lead() => calling(last / LeadShare);

        public (double Seconds, long Calls) Once(long calls)
        {
            var (cpu, begun) = (CpuSeconds(), Stopwatch.GetTimestamp());
            calling(calls);
            var wall = Stopwatch.GetElapsedTime(begun).TotalSeconds;
            var spent = CpuSeconds() - cpu;
            var seconds = byWall || MostWaiting * spent < wall ? wall : spent;
            var now = calls / Math.Max(seconds, 1e-6);
            speed = speed > 0 ? speed + (now - speed) / Smoothing : now;
            return (seconds, calls);
        }

        public (double Seconds, long Calls) Slice(double seconds)
        {
            var calls = Math.Max(1, (long)Math.Round(speed * seconds));
            var done = Once(calls);
            while (done.Seconds < seconds / MuchFaster) // the first of all, or it has become faster
            {
                speed = calls / Math.Max(done.Seconds, 1e-6);
                calls = Math.Max(calls + 1, Math.Min((long)Math.Round(speed * seconds), Growth * calls));
                done = Once(calls);
            }
            Best = Math.Min(Best, done.Seconds / done.Calls);
            last = done.Calls;
            return done;
        }

#if NET9_0_OR_GREATER
        public static double CpuSeconds() => Environment.CpuUsage.TotalTime.TotalSeconds;
#else
        // .NET 8's own count has hundredths of a second on Linux: clock_gettime(2) has nanoseconds.
        public static double CpuSeconds()
        {
            var clock = OperatingSystem.IsMacOS() ? 12 : 2; // CLOCK_PROCESS_CPUTIME_ID
            if (OperatingSystem.IsWindows() || ClockGetTime(clock, out var time) != 0)
            {
                return Process.GetCurrentProcess().TotalProcessorTime.TotalSeconds;
            }
            return time.Seconds + time.Nanoseconds / 1e9;
        }

        [System.Runtime.InteropServices.DllImport("libc", EntryPoint = "clock_gettime")]
        static extern int ClockGetTime(int clock, out Timespec time);

        struct Timespec
        {
            public nint Seconds;
            public nint Nanoseconds;
        }
#endif
    }

    /// <summary>Loops that call a method through a delegate and keep what it returns.</summary>
    static class Loops
    {
        static readonly Sink sink = new();

        public static (Loop Subject, Loop Nothing) Of(Subject about)
        {
            var (method, instance, arguments) = (about.Method, about.Instance, about.Arguments);
            var type = method.ReturnType;
            if (type.IsByRef || type.IsByRefLike) throw new NotSupportedException($"{method.Name} returns a {type.Name}, which can't be kept: return a value");
            if (type == typeof(void)) return Pair(Bound<Action>(method, instance, arguments), () => { }, Calling, false);
            if (typeof(Task).IsAssignableFrom(type))
            {
                return Pair(Bound<Func<Task>>(method, instance, arguments), () => Task.CompletedTask, CallingTask, true);
            }
            var name = type == typeof(ValueTask) ? nameof(OfValueTask)
                : type.IsGenericType && type.GetGenericTypeDefinition() == typeof(ValueTask<>) ? nameof(OfValueTaskOf)
                : nameof(OfValue);
            var of = typeof(Loops).GetMethod(name, BindingFlags.NonPublic | BindingFlags.Static)!;
            if (name == nameof(OfValueTaskOf)) of = of.MakeGenericMethod(type.GetGenericArguments());
            else if (name == nameof(OfValue)) of = of.MakeGenericMethod(type);
            return ((Loop, Loop))of.Invoke(null, [method, instance, arguments])!;
        }

        static (Loop, Loop) OfValue<T>(MethodInfo method, object? instance, object?[] arguments) =>
            Pair<Func<T>>(Bound<Func<T>>(method, instance, arguments), static () => default!, Calling, false);

        static (Loop, Loop) OfValueTask(MethodInfo method, object? instance, object?[] arguments) =>
            Pair(Bound<Func<ValueTask>>(method, instance, arguments), () => default, CallingValueTask, true);

        static (Loop, Loop) OfValueTaskOf<T>(MethodInfo method, object? instance, object?[] arguments) =>
            Pair<Func<ValueTask<T>>>(Bound<Func<ValueTask<T>>>(method, instance, arguments), static () => default, CallingValueTask, true);

        static (Loop, Loop) Pair<T>(T call, T empty, Action<T, long> calling, bool waits) =>
            (new Loop(calls => calling(call, calls), waits), new Loop(calls => calling(empty, calls), waits));

        static T Bound<T>(MethodInfo method, object? instance, object?[] arguments) where T : Delegate
        {
            if (arguments.Length == 0) return method.CreateDelegate<T>(instance);
            var given = method.GetParameters().Zip(arguments, (p, value) => Expression.Convert(Expression.Constant(value), p.ParameterType));
            return Expression.Lambda<T>(Expression.Call(instance is null ? null : Expression.Constant(instance), method, given)).Compile();
        }

        // Compiled once and for all: a loop that is replaced while it runs is slow in the first slices.
        [MethodImpl(MethodImplOptions.AggressiveOptimization | MethodImplOptions.NoInlining)]
        static void Calling(Action call, long calls)
        {
            for (long i = 0; i < calls; i++) call();
        }

        [MethodImpl(MethodImplOptions.AggressiveOptimization | MethodImplOptions.NoInlining)]
        static void Calling<T>(Func<T> call, long calls)
        {
            for (long i = 0; i < calls; i++) sink.Keep(call());
        }

        [MethodImpl(MethodImplOptions.AggressiveOptimization | MethodImplOptions.NoInlining)]
        static void CallingTask(Func<Task> call, long calls)
        {
            for (long i = 0; i < calls; i++) call().GetAwaiter().GetResult();
        }

        [MethodImpl(MethodImplOptions.AggressiveOptimization | MethodImplOptions.NoInlining)]
        static void CallingValueTask(Func<ValueTask> call, long calls)
        {
            for (long i = 0; i < calls; i++) call().AsTask().GetAwaiter().GetResult();
        }

        [MethodImpl(MethodImplOptions.AggressiveOptimization | MethodImplOptions.NoInlining)]
        static void CallingValueTask<T>(Func<ValueTask<T>> call, long calls)
        {
            for (long i = 0; i < calls; i++) sink.Keep(call().AsTask().GetAwaiter().GetResult());
        }
    }
}
