// What every format does here.

namespace Serializers;

public interface ISerializer<T> where T : class, IForecast, new()
{
    string MediaType { get; }

    byte[] Serialize(T?[]? forecasts);

    /// <exception cref="MalformedDataException">from those by hand; a library throws its own</exception>
    T?[]? Deserialize(byte[] data);
}

/// <summary>Bytes that are not what the format says: cut off, too long, a length that can't be …</summary>
public sealed class MalformedDataException(string problem, int offset)
    : FormatException($"{problem} (at byte {offset})")
{
    public int Offset => offset;
}
