// What a sensor gives: numbers only, so an array of such structs is one piece of memory ("unmanaged"), without references.

namespace Serializers;

public interface IReading
{
    long Ticks { get; set; }

    float Value { get; set; }

    int Sensor { get; set; }
}

public struct Reading : IReading
{
    public long Ticks { get; set; }

    public float Value { get; set; }

    public int Sensor { get; set; }
}

/// <summary>What a format does with an array of structs.</summary>
public interface IReadings<T> where T : unmanaged, IReading
{
    byte[] Serialize(T[] readings);

    T[]? Deserialize(byte[] data);
}

public static class Readings
{
    /// <summary>A reading a second from 2026-01-01, of eight sensors in turn.</summary>
    public static T[] Make<T>(int count) where T : unmanaged, IReading
    {
        var first = new DateTime(2026, 1, 1, 8, 30, 0, DateTimeKind.Utc);
        return [.. Enumerable.Range(0, count).Select(i => new T
        {
            Ticks = first.AddSeconds(i).Ticks,
            Value = i * 37 % 750 / 10f - 20,
            Sensor = i % 8,
        })];
    }
}
