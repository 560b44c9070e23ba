// What cells print and display, sent as messages in the order in which it was written.

using System.Text;
using System.Text.Json.Nodes;

namespace Benchbook;

/// <summary>
/// The output of the cell that runs now, at most so many characters of it. What changes it stands in
/// a finally: an interrupt's abort waits for that, and would leave half a change behind elsewhere.
/// </summary>
public sealed class CellOutput
{
    const int FlushChars = 8192, FlushMilliseconds = 20, Beginning = 1000;

    readonly Channel channel;
    readonly int limit;
    readonly object gate = new();
    readonly StringBuilder text = new();
    readonly Timer timer;
    string stream = "stdout";
    int cell, left;
    bool full, due;

    public CellOutput(Channel channel, int limit)
    {
        this.channel = channel;
        this.limit = left = limit;
        timer = new Timer(_ => Flush());
    }

    /// <summary>From now on output belongs to this cell, and its allowance is whole again.</summary>
    public void Begin(int id)
    {
        lock (gate)
        {
            Send();
            (cell, left, full) = (id, limit, false);
        }
    }

    public void Print(string name, ReadOnlySpan<char> more)
    {
        if (more.IsEmpty || full) return;
        try { }
        finally
        {
            lock (gate) Append(name, more);
        }
    }

    void Append(string name, ReadOnlySpan<char> more)
    {
        if (full) return;
        if (name != stream) Send();
        stream = name;
        var over = more.Length > left;
        text.Append(over ? more[..left] : more);
        left -= Math.Min(left, more.Length);
        if (over) SayFull();
        else if (text.Length >= FlushChars) Send();
        else if (!due)
        {
            due = true;
            timer.Change(FlushMilliseconds, Timeout.Infinite);
        }
    }

    public void Display(JsonObject data, string? displayId, bool update)
    {
        var size = Size(data);
        try { }
        finally
        {
            lock (gate) Append(data, size, displayId, update);
        }
    }

    void Append(JsonObject data, int size, string? displayId, bool update)
    {
        if (full) return;
        if (size > left)
        {
            SayFull();
            return;
        }
        left -= size;
        Send();
        channel.Send(new JsonObject
        {
            ["op"] = "display",
            ["id"] = cell,
            ["data"] = data,
            ["displayId"] = displayId,
            ["update"] = update,
        });
    }

    /// <summary>A cell's value, or the beginning of its text where it exceeds what is left of the allowance.</summary>
    public JsonObject Fit(JsonObject data)
    {
        var size = Size(data);
        lock (gate)
        {
            if (size <= left)
            {
                left -= size;
                return data;
            }
        }
        var text = data["text/plain"]?.ToString() ?? "";
        var beginning = text[..Math.Min(text.Length, Beginning)];
        return new JsonObject { ["text/plain"] = $"{beginning}… [the value ends here: with it, this cell's output exceeds {limit / 1e6:0.##} million characters]" };
    }

    /// <summary>The characters that a front end is to hold; what #!share carries goes to none.</summary>
    static int Size(JsonObject data) => data.Where(item => item.Key != Notebook.SharedType).Sum(item => item.Value?.ToString().Length ?? 0);

    public void Flush()
    {
        try { }
        finally
        {
            lock (gate) Send();
        }
    }

    void Send()
    {
        due = false;
        if (text.Length == 0) return;
        channel.Send(new JsonObject { ["op"] = "stream", ["id"] = cell, ["name"] = stream, ["text"] = text.ToString() });
        text.Clear();
    }

    void SayFull()
    {
        Send();
        full = true;
        stream = "stderr";
        text.Append($"\n[this cell's output ends here: it exceeds {limit / 1e6:0.##} million characters]\n");
        Send();
    }

    /// <summary>
    /// Child processes write to descriptors 1 and 2 themselves. A mark there at the end of a cell lets
    /// the kernel know that it has seen all that the cell's children wrote before.
    /// </summary>
    public static bool Mark(int cell)
    {
        if (OperatingSystem.IsWindows()) return false;
        try
        {
            var mark = Encoding.ASCII.GetBytes($"\x1e{cell}\x1e\n");
            foreach (var stream in new[] { Console.OpenStandardOutput(), Console.OpenStandardError() })
            {
                stream.Write(mark);
                stream.Flush();
            }
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }
}

/// <summary>The streams of Console. A cell that sets others, such as a StringWriter, sets them for itself alone.</summary>
public sealed class CellConsole
{
    readonly TextWriter output, error;
    readonly TextReader input;

    public CellConsole(CellOutput cells, Func<string, string> ask)
    {
        Console.SetOut(new CellWriter(cells, "stdout"));
        Console.SetError(new CellWriter(cells, "stderr"));
        Console.SetIn(new CellReader(ask));
        (output, error, input) = (Console.Out, Console.Error, Console.In); // synchronized by Console
    }

    public void Restore()
    {
        if (Console.Out != output) Console.SetOut(output);
        if (Console.Error != error) Console.SetError(error);
        if (Console.In != input) Console.SetIn(input);
    }
}

/// <summary>Console.Out or Console.Error of cells.</summary>
public sealed class CellWriter(CellOutput output, string name) : TextWriter
{
    public override Encoding Encoding => Encoding.UTF8;

    public override void Write(char value) => Print([value]);

    public override void Write(char[] buffer, int index, int count) => Print(buffer.AsSpan(index, count));

    public override void Write(ReadOnlySpan<char> buffer) => Print(buffer);

    public override void Write(string? value) => Print(value);

    public override void WriteLine(string? value) => Print(value + "\n");

    public override void WriteLine() => Print("\n");

    public override void Flush() => output.Flush();

    void Print(ReadOnlySpan<char> text)
    {
        Stop.Look();
        output.Print(name, text);
    }
}

/// <summary>Console.In of cells: a line is asked of the reader of the notebook.</summary>
public sealed class CellReader(Func<string, string> ask) : TextReader
{
    string rest = "";

    public override string ReadLine()
    {
        var line = rest.Length > 0 ? rest.TrimEnd('\n') : ask("");
        rest = "";
        return line;
    }

    public override int Peek()
    {
        if (rest.Length == 0) rest = ask("") + "\n";
        return rest[0];
    }

    public override int Read()
    {
        var first = Peek();
        rest = rest[1..];
        return first;
    }

    public override string ReadToEnd() => ReadLine();
}
