// The same two benchmarks for arrays of structs.

using BenchmarkDotNet.Attributes;
using Serializers;

public abstract class Copying<T>(IReadings<T> serializer) where T : unmanaged, IReading
{
    T[] readings = [];
    byte[] bytes = [];

    [Params(1000)]
    public int N { get; set; }

    [GlobalSetup]
    public void Setup()
    {
        readings = Readings.Make<T>(N);
        bytes = serializer.Serialize(readings);
        if (serializer.Deserialize(bytes)?.SequenceEqual(readings) != true) throw new InvalidOperationException("it reads what it did not write");
    }

    [Benchmark]
    public byte[] Serialize() => serializer.Serialize(readings);

    [Benchmark]
    public T[]? Deserialize() => serializer.Deserialize(bytes);
}
