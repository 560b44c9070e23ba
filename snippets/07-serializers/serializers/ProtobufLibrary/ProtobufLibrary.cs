using Google.Protobuf;
using Google.Protobuf.WellKnownTypes;

namespace Serializers;

public sealed class ProtobufLibrary : ISerializer<ProtobufForecast>
{
    public string MediaType => "application/x-protobuf";

    public byte[] Serialize(ProtobufForecast?[]? forecasts) => new ProtobufForecasts { Items = { forecasts } }.ToByteArray();

    public ProtobufForecast?[]? Deserialize(byte[] data) => [.. ProtobufForecasts.Parser.ParseFrom(data).Items];
}

public sealed partial class ProtobufForecast : IForecast // protoc writes the other half, from forecast.proto
{
    DateTime IForecast.Date
    {
        get => Date.ToDateTime();
        set => Date = Timestamp.FromDateTime( // a moment: what has no kind is taken for UTC
            value.Kind == DateTimeKind.Local ? value.ToUniversalTime() : DateTime.SpecifyKind(value, DateTimeKind.Utc));
    }

    string? IForecast.Summary
    {
        get => HasSummary ? Summary : null;
        set
        {
            if (value is null) ClearSummary();
            else Summary = value;
        }
    }
}
