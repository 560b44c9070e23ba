// The attributes that BenchmarkDotNet knows benchmarks by, so that a file with them is compiled without
// that package, which is 60 MB with all that it needs. Those that say how to measure are taken, and mean
// nothing here. https://benchmarkdotnet.org/articles/guides/how-it-works.html

#pragma warning disable CS9113 // parameters that nobody reads

namespace BenchmarkDotNet.Attributes;

[AttributeUsage(AttributeTargets.Method)]
internal sealed class BenchmarkAttribute : Attribute
{
    public bool Baseline { get; set; }
    public string? Description { get; set; }
    public int OperationsPerInvoke { get; set; } = 1;
}

[AttributeUsage(AttributeTargets.Field | AttributeTargets.Property)]
internal sealed class ParamsAttribute(params object?[] values) : Attribute
{
    public int Priority { get; set; }
}

[AttributeUsage(AttributeTargets.Field | AttributeTargets.Property)]
internal sealed class ParamsSourceAttribute(string name) : Attribute
{
    public int Priority { get; set; }
}

[AttributeUsage(AttributeTargets.Field | AttributeTargets.Property)]
internal sealed class ParamsAllValuesAttribute : Attribute
{
    public int Priority { get; set; }
}

[AttributeUsage(AttributeTargets.Method, AllowMultiple = true)]
internal sealed class ArgumentsAttribute(params object?[] values) : Attribute;

[AttributeUsage(AttributeTargets.Method)]
internal sealed class ArgumentsSourceAttribute(string name) : Attribute;

[AttributeUsage(AttributeTargets.Method)]
internal abstract class TargetedAttribute : Attribute
{
    public string? Target { get; set; }
    public string[]? Targets { get; set; }
}

internal sealed class GlobalSetupAttribute : TargetedAttribute;
internal sealed class GlobalCleanupAttribute : TargetedAttribute;
internal sealed class IterationSetupAttribute : TargetedAttribute;
internal sealed class IterationCleanupAttribute : TargetedAttribute;

[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method, AllowMultiple = true)]
internal sealed class BenchmarkCategoryAttribute(params string[] categories) : Attribute;

[AttributeUsage(AttributeTargets.Class)]
internal sealed class MemoryDiagnoserAttribute(bool displayGenColumns = true) : Attribute;

[AttributeUsage(AttributeTargets.Class)]
internal sealed class ThreadingDiagnoserAttribute : Attribute;

[AttributeUsage(AttributeTargets.Class)]
internal sealed class ExceptionDiagnoserAttribute : Attribute;

[AttributeUsage(AttributeTargets.Class)]
internal sealed class RankColumnAttribute : Attribute;

[AttributeUsage(AttributeTargets.Class)]
internal sealed class MinColumnAttribute : Attribute;

[AttributeUsage(AttributeTargets.Class)]
internal sealed class MaxColumnAttribute : Attribute;

[AttributeUsage(AttributeTargets.Class)]
internal sealed class MeanColumnAttribute : Attribute;

[AttributeUsage(AttributeTargets.Class)]
internal sealed class MedianColumnAttribute : Attribute;

[AttributeUsage(AttributeTargets.Class)]
internal sealed class AllStatisticsColumnAttribute : Attribute;

[AttributeUsage(AttributeTargets.Class, AllowMultiple = true)]
internal sealed class HideColumnsAttribute(params string[] names) : Attribute;

[AttributeUsage(AttributeTargets.Class)]
internal sealed class MarkdownExporterAttribute : Attribute;

[AttributeUsage(AttributeTargets.Class)]
internal sealed class DisassemblyDiagnoserAttribute : Attribute
{
    public DisassemblyDiagnoserAttribute(int maxDepth = 1, bool printSource = false) { }
}

[AttributeUsage(AttributeTargets.Class)]
internal sealed class ShortRunJobAttribute : Attribute;

[AttributeUsage(AttributeTargets.Class)]
internal sealed class MediumRunJobAttribute : Attribute;

[AttributeUsage(AttributeTargets.Class)]
internal sealed class DryJobAttribute : Attribute;

[AttributeUsage(AttributeTargets.Class, AllowMultiple = true)]
internal sealed class SimpleJobAttribute(int launchCount = -1, int warmupCount = -1, int iterationCount = -1, int invocationCount = -1, string? id = null, bool baseline = false) : Attribute;
