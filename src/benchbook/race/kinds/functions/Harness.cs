// Runs the [Benchmark] methods of its assembly with BenchmarkDotNet, as a JSON file asks, and writes
// what came out as JSON. Benchbook copies this file beside the benchmarks; BenchmarkDotNet then builds
// and starts its own process for every launch, as it always does.
//
// A short run is made of several launches. BenchmarkDotNet runs all launches of one benchmark before
// the next one; here every launch is a job of its own, all equal, so that the launches of all
// benchmarks take turns in random order and one build serves them all.

using System.Reflection;
using System.Text.Json;
using BenchmarkDotNet.Analysers;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.EventProcessors;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Exporters.Json;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.Results;
using Perfolizer.Horology;
using Perfolizer.Mathematics.OutlierDetection;

namespace Benchbook.Micro;

/// <summary>What is to be run. Environment: of the processes of quick jobs.</summary>
public sealed record BenchmarkRequest(
    string Report,
    string Artifacts,
    bool Full,
    int Launches,
    int Iterations,
    int Warmups,
    double IterationMilliseconds,
    int Seed,
    Dictionary<string, string> Environment);

/// <summary>A benchmark ("Class.Method", "N=10"). Copy: it is run for comparison with itself.</summary>
public sealed record Entry(string Benchmark, string Case, bool Baseline = false, bool Copy = false);

public static class Harness
{
    public static int Main(string[] arguments)
    {
        if (arguments is ["--slices", var name, .. var rest]) return Slices.Run(() => Bound(Find(name, rest is [var value, ..] ? value : "")));
        var request = JsonSerializer.Deserialize<BenchmarkRequest>(File.ReadAllText(arguments[0]), Slices.Json)!;
        try
        {
            Write(request.Report, Run(request));
            return 0;
        }
        catch (InvalidOperationException error)
        {
            Write(request.Report, new { Errors = new[] { error.Message } });
            return 1;
        }
    }

    static readonly TimeSpan BuildTimeout = TimeSpan.FromMinutes(10); // a busy machine needs more than its own two

    static object Run(BenchmarkRequest request)
    {
        var config = ManualConfig.CreateEmpty()
            .WithBuildTimeout(BuildTimeout)
            .AddLogger(ConsoleLogger.Default)
            .AddColumnProvider(DefaultColumnProviders.Instance)
            .AddAnalyser([.. DefaultConfig.Instance.GetAnalysers()])
            .AddValidator([.. DefaultConfig.Instance.GetValidators()])
            .AddDiagnoser(MemoryDiagnoser.Default)
            .AddEventProcessor(new Events())
            .WithArtifactsPath(request.Artifacts);
        var classes = Classes().Select(type => BenchmarkConverter.TypeToBenchmarks(type, config)).ToArray();
        var cases = classes.SelectMany(each => each.BenchmarksCases).ToArray();
        if (cases.Length == 0) throw new InvalidOperationException("there is no [Benchmark] method");
        foreach (var each in cases) Unfinished.Refuse(each.Descriptor.WorkloadMethod);
        var jobsOfItsOwn = cases.Any(each => each.Job.ResolvedId != Job.Default.ResolvedId);
        if (request.Full || jobsOfItsOwn)
        {
            Events.Tell(new { Event = "entries", Entries = cases.Select(Describe) });
            var summaries = BenchmarkRunner.Run(classes);
            return Report(summaries, summaries.SelectMany(each => each.Reports), [], jobsOfItsOwn);
        }

        var entries = WithCopies(cases);
        Events.Tell(new { Event = "entries", Entries = entries });
        var launches = Launches(request, entries.Select(each => Find(each.Benchmark, each.Case, cases)).ToArray());
        var summary = BenchmarkRunner.Run([new BenchmarkRunInfo(launches, cases[0].Descriptor.Type, classes[0].Config)]);
        var merged = entries.Select((entry, number) => Merge(request, summary[0], entry, number)).OfType<BenchmarkReport>();
        var originals = entries.Zip(merged).Where(pair => !pair.First.Copy).Select(pair => pair.Second);
        var copies = entries.Zip(merged).Where(pair => pair.First.Copy).Select(pair => pair.Second);
        return Report(summary, originals, copies, jobsOfItsOwn);
    }

    static IEnumerable<Type> Classes()
    {
        var types = Assembly.GetExecutingAssembly().GetTypes().Where(HasBenchmarks).ToArray();
        if (types.FirstOrDefault(type => !type.IsVisible) is { } hidden)
        {
            throw new InvalidOperationException($"the class {hidden.Name} must be public, so that BenchmarkDotNet can call it");
        }
        return types.SelectMany(type => type.IsGenericTypeDefinition
            ? type.GetCustomAttributes<GenericTypeArgumentsAttribute>().Select(each => type.MakeGenericType(each.GenericTypeArguments))
            : [type]);
    }

    static bool HasBenchmarks(Type type) =>
        type is { IsClass: true, IsAbstract: false }
        && type.GetMethods(BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static)
            .Any(method => method.IsDefined(typeof(BenchmarkAttribute), inherit: true));

    internal static string Name(BenchmarkCase each) => $"{each.Descriptor.Type.Name}.{each.Descriptor.WorkloadMethod.Name}";

    internal static string Parameters(BenchmarkCase each) => each.Parameters.DisplayInfo.Trim('[', ']');

    static Entry Describe(BenchmarkCase each) => new(Name(each), Parameters(each), each.Descriptor.Baseline);

    /// <summary>All cases, and each baseline (or the first case) once more: how much do two equal ones differ?</summary>
    static Entry[] WithCopies(BenchmarkCase[] cases)
    {
        var baselines = cases.Where(each => each.Descriptor.Baseline).DefaultIfEmpty(cases[0]);
        return [.. cases.Select(Describe), .. baselines.Select(each => Describe(each) with { Copy = true })];
    }

    /// <summary>The one that is named. Throws InvalidOperationException where there is none, or more than one.</summary>
    internal static BenchmarkCase Find(string benchmark, string parameters)
    {
        var cases = Classes().SelectMany(type => BenchmarkConverter.TypeToBenchmarks(type).BenchmarksCases);
        return Find(benchmark, parameters, [.. cases]);
    }

    static BenchmarkCase Find(string benchmark, string parameters, BenchmarkCase[] cases)
    {
        var named = cases.Where(each => Name(each) == benchmark).ToArray();
        var found = parameters == "" ? named : [.. named.Where(each => Parameters(each) == parameters)];
        if (found.Length == 1) return found[0];
        var known = (named.Length > 0 ? named : cases).Select(each => $"{Name(each)} [{Parameters(each)}]");
        var problem = found.Length == 0 ? "there is no" : "there is more than one";
        throw new InvalidOperationException($"{problem} {benchmark} [{parameters}]; there are: {string.Join(", ", known)}");
    }

    /// <summary>A benchmark as it is timed in slices: its parameters are set, and it is set up.</summary>
    static Subject Bound(BenchmarkCase benchmark)
    {
        var about = benchmark.Descriptor;
        Unfinished.Refuse(about.WorkloadMethod);
        if (about.IterationSetupMethod is not null || about.IterationCleanupMethod is not null) throw new NotSupportedException(Slices.NoIterations);
        var instance = about.WorkloadMethod.IsStatic ? null : Activator.CreateInstance(about.Type);
        foreach (var item in benchmark.Parameters.Items.Where(item => !item.IsArgument)) Subject.Set(about.Type, instance, item.Name, item.Value);
        Subject.Invoke(about.GlobalSetupMethod, instance);
        var arguments = benchmark.Parameters.Items.Where(item => item.IsArgument).Select(item => item.Value).ToArray();
        return new Subject(about.WorkloadMethod, instance, arguments, about.OperationsPerInvoke, about.GlobalCleanupMethod);
    }

    /// <summary>Each entry once in each launch, in random order.</summary>
    static BenchmarkCase[] Launches(BenchmarkRequest request, BenchmarkCase[] cases)
    {
        var draw = new Random(request.Seed);
        List<BenchmarkCase> planned = [];
        for (var launch = 0; launch < request.Launches; launch++)
        {
            int[] turns = [.. Enumerable.Range(0, cases.Length)];
            draw.Shuffle(turns);
            foreach (var number in turns)
            {
                var job = Short(request, Id(launch, number)).WithLaunchCount(1);
                var each = cases[number];
                planned.Add(BenchmarkCase.Create(each.Descriptor, job, each.Parameters, each.Config));
            }
        }
        return [.. planned];
    }

    static string Id(int launch, int entry) => $"launch-{launch}.{entry}";

    /// <summary>The launch and the entry's number that a case is run for; null where jobs are the class's own.</summary>
    internal static (int Launch, int Entry)? Turn(BenchmarkCase each)
    {
        var id = each.Job.Id.Split('-', '.');
        return id is ["launch", var launch, var entry] ? (int.Parse(launch), int.Parse(entry)) : null;
    }

    static Job Short(BenchmarkRequest request, string id) => new Job(id)
        .WithStrategy(RunStrategy.Throughput)
        .WithWarmupCount(request.Warmups)
        .WithIterationCount(request.Iterations)
        .WithIterationTime(TimeInterval.FromMilliseconds(request.IterationMilliseconds))
        .WithEnvironmentVariables([.. request.Environment.Select(each => new EnvironmentVariable(each.Key, each.Value))])
        .WithOutlierMode(OutlierMode.DontRemove);

    /// <summary>The launches of one entry as one report, as BenchmarkDotNet would give it.</summary>
    static BenchmarkReport? Merge(BenchmarkRequest request, Summary summary, Entry entry, int number)
    {
        var ids = Enumerable.Range(0, request.Launches).Select(launch => Id(launch, number)).ToHashSet();
        var parts = summary.Reports.Where(each => ids.Contains(each.BenchmarkCase.Job.Id)).ToArray();
        if (parts.Length == 0) return null;
        var first = parts[0].BenchmarkCase;
        var job = Short(request, "quick").WithLaunchCount(request.Launches);
        return new BenchmarkReport(
            parts.All(each => each.Success),
            BenchmarkCase.Create(first.Descriptor, job, first.Parameters, first.Config),
            parts[0].GenerateResult,
            parts[0].BuildResult,
            [.. parts.SelectMany(each => each.ExecuteResults)],
            [.. parts[0].Metrics.Values]);
    }

    static object Report(Summary[] summaries, IEnumerable<BenchmarkReport> originals, IEnumerable<BenchmarkReport> copies, bool own)
    {
        var first = summaries[0];
        var reports = originals.ToArray();
        var config = summaries.SelectMany(each => each.BenchmarksCases).First().Config;
        var whole = new Summary(
            "benchmarks",
            [.. reports],
            first.HostEnvironmentInfo,
            first.ResultsDirectoryPath,
            first.LogFilePath,
            summaries.Aggregate(TimeSpan.Zero, (sum, each) => sum + each.TotalTime),
            first.GetCultureInfo(),
            [.. summaries.SelectMany(each => each.ValidationErrors)],
            [.. config.GetColumnHidingRules()]);
        foreach (var exporter in new IExporter[] { JsonExporter.Full, HtmlExporter.Default })
        {
            _ = exporter.ExportToFiles(whole, NullLogger.Instance).ToArray();
        }
        var columns = whole.Table.Columns.Where(column => column.NeedToShow).ToArray();
        return new
        {
            Version = whole.HostEnvironmentInfo.BenchmarkDotNetVersion,
            Header = whole.AllRuntimes is var runtimes
                ? string.Join("\n", [.. whole.HostEnvironmentInfo.ToFormattedString(), runtimes])
                : "",
            OwnJobs = own,
            Columns = columns.Select(column => column.Header),
            Rows = Enumerable.Range(0, reports.Length).Select(row => columns.Select(column => column.Content[row])),
            Groups = whole.Table.FullContentStartOfLogicalGroup,
            Errors = whole.ValidationErrors.Where(each => each.IsCritical).Select(each => each.Message).Distinct(),
            Warnings = Conclusions(whole, config),
            Benchmarks = whole.Reports.Select(each => Describe(each, false)).Concat(copies.Select(each => Describe(each, true))),
        };
    }

    static IEnumerable<object> Conclusions(Summary summary, ImmutableConfig config) =>
        from analyser in config.GetAnalysers()
        from conclusion in analyser.Analyse(summary)
        select new
        {
            Kind = conclusion.Kind.ToString(),
            Analyser = conclusion.AnalyserId,
            conclusion.Message,
            Benchmark = conclusion.Report is { } report ? Name(report.BenchmarkCase) : "",
            Case = conclusion.Report is { } about ? Parameters(about.BenchmarkCase) : "",
        };

    static object Describe(BenchmarkReport report, bool copy) => new
    {
        Benchmark = Name(report.BenchmarkCase),
        Case = Parameters(report.BenchmarkCase),
        Job = report.BenchmarkCase.Job.ResolvedId,
        report.BenchmarkCase.Descriptor.Baseline,
        Copy = copy,
        report.Success,
        AllocatedBytes = report.GcStats.GetBytesAllocatedPerOperation(report.BenchmarkCase),
        // [launch][iteration] → operations, nanoseconds
        Launches = report.ExecuteResults.Select(Iterations),
    };

    internal static IEnumerable<double[]> Iterations(ExecuteResult launch) => launch.Measurements
        .Where(one => one is { IterationMode: IterationMode.Workload, IterationStage: IterationStage.Result })
        .Select(one => new[] { one.Operations, one.Nanoseconds });

    static void Write(string path, object report) => File.WriteAllText(path, JsonSerializer.Serialize(report, Slices.Json));
}

/// <summary>Says what happens as it happens, in one line of JSON an event.</summary>
sealed class Events : EventProcessor
{
    public override void OnStartRunBenchmark(BenchmarkCase benchmarkCase) => Tell(new
    {
        Event = "began",
        Launch = Harness.Turn(benchmarkCase)?.Launch,
        Entry = Harness.Turn(benchmarkCase)?.Entry,
        Benchmark = Harness.Name(benchmarkCase),
        Case = Harness.Parameters(benchmarkCase),
    });

    public override void OnEndRunBenchmark(BenchmarkCase benchmarkCase, BenchmarkReport report) => Tell(new
    {
        Event = "ended",
        Launch = Harness.Turn(benchmarkCase)?.Launch,
        Entry = Harness.Turn(benchmarkCase)?.Entry,
        Iterations = report.ExecuteResults.SelectMany(Harness.Iterations),
        AllocatedBytes = report.GcStats.GetBytesAllocatedPerOperation(benchmarkCase),
    });

    public static void Tell(object happening) =>
        Console.WriteLine($"// benchbook: {JsonSerializer.Serialize(happening, Slices.Json)}");
}
