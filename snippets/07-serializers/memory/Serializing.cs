// The same two benchmarks for every serializer: to bytes, and back.

using BenchmarkDotNet.Attributes;
using Serializers;

public abstract class Serializing<T>(ISerializer<T> serializer) where T : class, IForecast, new()
{
    T[] forecasts = [];
    byte[] bytes = [];

    [Params("5", "100", "1000", "10000", "1000 in Japanese")]
    public string N { get; set; } = "";

    [GlobalSetup]
    public void Setup()
    {
        forecasts = Forecasts.Make<T>(int.Parse(N.Split(' ')[0]), japanese: N.EndsWith("Japanese"));
        bytes = serializer.Serialize(forecasts);
        var read = serializer.Deserialize(bytes); // they are compared on work that all of them do alike
        if (Forecasts.Digest(read) != Forecasts.Digest(forecasts)) throw new InvalidOperationException("it reads what it did not write");
    }

    [Benchmark]
    public byte[] Serialize() => serializer.Serialize(forecasts);

    [Benchmark]
    public T?[]? Deserialize() => serializer.Deserialize(bytes);
}
