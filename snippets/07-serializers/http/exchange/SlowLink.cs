using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Threading.Channels;

namespace Serializers;

/// <summary>
/// A line between a client and a server, on this machine: bytes arrive later, and only so many a second. It loses
/// nothing and is at full speed at once, so a real line of that speed is no better.
/// </summary>
sealed class SlowLink(Uri server, double bytesPerMs, double delayMs)
{
    const int Packet = 1500; // bytes

    static double NowMs => Stopwatch.GetTimestamp() * 1000.0 / Stopwatch.Frequency;

    /// <summary>The address to ask instead of the server's; `line` as "20 Mbit/s, 10 ms" (the delay of each way).</summary>
    public static Uri To(Uri server, string line)
    {
        double[] said = [.. line.Split(' ').Where((_, i) => i % 2 == 0).Select(each => double.Parse(each, CultureInfo.InvariantCulture))];
        var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        _ = new SlowLink(server, said[0] * 125, said[1]).Accept(listener);
        return new UriBuilder(server) { Port = ((IPEndPoint)listener.LocalEndpoint).Port }.Uri;
    }

    async Task Accept(TcpListener listener)
    {
        while (true)
        {
            var (near, far) = (await listener.AcceptTcpClientAsync(), new TcpClient { NoDelay = true });
            near.NoDelay = true;
            await far.ConnectAsync(server.Host, server.Port);
            _ = Pass(near.GetStream(), far.GetStream());
            _ = Pass(far.GetStream(), near.GetStream());
        }
    }

    async Task Pass(NetworkStream from, NetworkStream to)
    {
        var onTheWay = Channel.CreateUnbounded<(double DueMs, byte[] Bytes)>();
        _ = Deliver(onTheWay.Reader, to);
        var (packet, sentMs) = (new byte[Packet], 0.0);
        while (await from.ReadAsync(packet) is > 0 and var count)
        {
            sentMs = Math.Max(sentMs, NowMs) + count / bytesPerMs; // one packet after the other
            onTheWay.Writer.TryWrite((sentMs + delayMs, packet[..count]));
        }

        onTheWay.Writer.Complete();
    }

    static async Task Deliver(ChannelReader<(double DueMs, byte[] Bytes)> onTheWay, NetworkStream to)
    {
        await foreach (var (dueMs, bytes) in onTheWay.ReadAllAsync())
        {
            if (dueMs - NowMs > 2) await Task.Delay(TimeSpan.FromMilliseconds(dueMs - NowMs - 1)); // a timer is late
            while (NowMs < dueMs) Thread.SpinWait(50);
            await to.WriteAsync(bytes);
        }

        to.Close(); // as the other end did
    }
}
