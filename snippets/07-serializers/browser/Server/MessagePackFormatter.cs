using MessagePack;
using Microsoft.AspNetCore.Mvc.Formatters;

namespace Weather.Server;

/// <summary>Writes what an action returns as MessagePack, for clients that accept it.</summary>
public sealed class MessagePackFormatter : OutputFormatter
{
    public MessagePackFormatter() => SupportedMediaTypes.Add("application/x-msgpack");

    public override Task WriteResponseBodyAsync(OutputFormatterWriteContext context) =>
        MessagePackSerializer.SerializeAsync(context.ObjectType!, context.HttpContext.Response.Body, context.Object);
}
