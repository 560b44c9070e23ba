using System.Text.Json;

namespace Serializers;

public sealed class JsonReadings : IReadings<Reading>
{
    public byte[] Serialize(Reading[] readings) => JsonSerializer.SerializeToUtf8Bytes(readings, JsonSerializerOptions.Web);

    public Reading[]? Deserialize(byte[] data) => JsonSerializer.Deserialize<Reading[]>(data, JsonSerializerOptions.Web); // name by name, digit by digit
}
