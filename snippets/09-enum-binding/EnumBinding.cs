// A request brings text, a handler wants an enum: each benchmark binds the same six texts.

using BenchmarkDotNet.Attributes;

public class EnumBinding
{
    static readonly string[] Texts = ["One", "Ten", "Hundred", "1", "10", "100"];

    [Benchmark(Baseline = true, OperationsPerInvoke = 6)]
    public int TryParse()
    {
        var sum = 0;
        foreach (var text in Texts) if (ByTryParse.Bind<Size>(text, out var size)) sum += (int)size;
        return sum;
    }

    [Benchmark(OperationsPerInvoke = 6)]
    public int IsDefined()
    {
        var sum = 0;
        foreach (var text in Texts) if (ByIsDefined.Bind<Size>(text, out var size)) sum += (int)size;
        return sum;
    }

    [Benchmark(OperationsPerInvoke = 6)]
    public int Dictionary()
    {
        var sum = 0;
        foreach (var text in Texts) if (ByDictionary.Bind<Size>(text, out var size)) sum += (int)size;
        return sum;
    }

    [Benchmark(OperationsPerInvoke = 6)]
    public int Strict()
    {
        var sum = 0;
        foreach (var text in Texts) if (StrictBinder.Bind<Size>(text, out var size)) sum += (int)size;
        return sum;
    }

    [GlobalSetup] // they are compared on work that all of them do alike
    public void Check()
    {
        int[] sums = [TryParse(), IsDefined(), Dictionary(), Strict()];
        if (sums.Any(sum => sum != 222)) throw new InvalidOperationException($"they bind differently: {string.Join(", ", sums)}");
    }
}
