// Messages to and from the kernel: JSON lines on two descriptors of their own (see host.py).

using System.Collections.Concurrent;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using Microsoft.Win32.SafeHandles;

namespace Benchbook;

/// <summary>How the kernel starts the host: the descriptors, and what a cell may print.</summary>
public sealed record Settings(
    int In, int Out, string Directory, string Scratch, string? Temporary, int MaxOutputChars, bool OwnGroup);

/// <summary>
/// Reads messages on the thread that calls Listen and writes them on a thread of its own, so that a
/// cell that is interrupted while it prints never leaves half a message behind.
/// </summary>
public sealed class Channel : IDisposable
{
    const byte Separator = 0x1e;
    const int CloseOnExec = 1, SetDescriptorFlags = 2, Kill = 9;

    static readonly JsonSerializerOptions Plain = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    readonly Settings settings;
    readonly Stream incoming, outgoing;
    readonly BlockingCollection<JsonObject> queue = new(boundedCapacity: 1000);
    readonly Thread writer;

    public Channel(Settings settings)
    {
        this.settings = settings;
        if (OperatingSystem.IsWindows())
        {
            (incoming, outgoing) = (Console.OpenStandardInput(), Console.OpenStandardOutput());
        }
        else
        {
            (incoming, outgoing) = (Open(settings.In, FileAccess.Read), Open(settings.Out, FileAccess.Write));
        }
        writer = new Thread(Write) { IsBackground = true, Name = "messages" };
        writer.Start();
    }

    /// <summary>Queues a message; waits where the kernel reads more slowly than a cell prints.</summary>
    public void Send(JsonObject message)
    {
        try { } finally { queue.Add(message); } // an interrupt's abort waits for a finally
    }

    /// <summary>Gives every message to <paramref name="receive"/>; ends this process with the kernel.</summary>
    public void Listen(Action<JsonObject> receive)
    {
        WatchParent();
        using var reader = new StreamReader(incoming, Encoding.UTF8);
        try
        {
            while (reader.ReadLine() is { } line)
            {
                receive(JsonNode.Parse(line)!.AsObject());
            }
        }
        catch (IOException)
        {
        }
        End();
    }

    /// <summary>Tells why, then ends this process and all that cells started.</summary>
    public void End(string why)
    {
        Ending(why);
        Dispose();
        End();
    }

    /// <summary>Tells why this process may end now; the next reply takes that back.</summary>
    public void Ending(string why) => Send(new JsonObject { ["op"] = "ending", ["why"] = why });

    /// <summary>Writes what is queued and no more.</summary>
    public void Dispose()
    {
        queue.CompleteAdding();
        writer.Join(TimeSpan.FromSeconds(2));
    }

    void Write()
    {
        foreach (var message in queue.GetConsumingEnumerable())
        {
            var body = JsonSerializer.SerializeToUtf8Bytes(message, Plain);
            var line = new byte[body.Length + 2];
            line[0] = Separator;
            body.CopyTo(line, 1);
            line[^1] = (byte)'\n';
            try
            {
                outgoing.Write(line);
                outgoing.Flush();
            }
            catch (IOException)
            {
                return; // the kernel has gone; Listen ends this process
            }
        }
    }

    static FileStream Open(int descriptor, FileAccess access)
    {
        _ = fcntl(descriptor, SetDescriptorFlags, CloseOnExec); // not for what cells start
        return new FileStream(new SafeFileHandle(descriptor, ownsHandle: true), access, bufferSize: 0);
    }

    /// <summary>A forked copy of the kernel may hold the descriptor open after the kernel's death.</summary>
    void WatchParent()
    {
        if (OperatingSystem.IsWindows()) return;
        var parent = getppid();
        var watch = new Thread(() =>
        {
            while (getppid() == parent) Thread.Sleep(1000);
            End();
        })
        { IsBackground = true, Name = "parent watch" };
        watch.Start();
    }

    void End()
    {
        if (OperatingSystem.IsWindows()) Process.GetCurrentProcess().Kill(entireProcessTree: true);
        if (settings.OwnGroup) _ = kill(0, Kill);
        Environment.FailFast(null);
    }

    [DllImport("libc")] static extern int fcntl(int descriptor, int command, int value);
    [DllImport("libc")] static extern int getppid();
    [DllImport("libc")] static extern int kill(int process, int signal);
}
