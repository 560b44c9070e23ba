// A program that is two: without arguments the server, with the server's address the client.
// PORT=8080 dotnet run -c Release json-over-http.cs, then: dotnet run -c Release json-over-http.cs -- http://127.0.0.1:8080/forecasts

namespace Serializers;

public static class Exchange
{
    public static Task Run<T>(string[] args, ISerializer<T> serializer) where T : class, IForecast, new() => args switch
    {
        [] => Server.Run(serializer),
        [var address] => new Client<T>(serializer, Address(address)).Run(Console.In, Console.Out),
        _ => throw new ArgumentException("give the address that the client shall ask, or nothing"),
    };

    static Uri Address(string server) => Environment.GetEnvironmentVariable("LINK") is { } line
        ? SlowLink.To(new Uri(server), line)
        : new Uri(server);
}
