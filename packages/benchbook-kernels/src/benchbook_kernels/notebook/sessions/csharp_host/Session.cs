// Runs cells one after the other on a thread of their own, and interrupts them.
//
// An interrupt first cancels the token that a cell may watch (Notebook.Interrupted). A cell that does
// not watch it ends where it next looks (Stop.cs), or where it waits. One that does neither is aborted
// where it stands, by ControlledExecution, which .NET has for just this:
// https://learn.microsoft.com/dotnet/api/system.runtime.controlledexecution.run. A cell that waits
// for a task is left waiting. Only what goes on computing in spite of all this ends the host.

using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Runtime;
using System.Text.Json.Nodes;
using Microsoft.DotNet.Interactive;

namespace Benchbook;

public sealed class Session(Settings settings, Channel channel, CellOutput output)
{
    static readonly TimeSpan Grace = TimeSpan.FromMilliseconds(150); // for a cell that watches the token
    static readonly TimeSpan Soon = TimeSpan.FromSeconds(0.5); // after the start: a cell that is waiting goes first
    static readonly TimeSpan Stubborn = TimeSpan.FromSeconds(5), LookLength = TimeSpan.FromSeconds(0.5);
    const string Unstoppable = "the cell was in code that can't be interrupted";
    const string Threads = "/proc/self/task"; // Linux only
    const int Looks = 6; // at a cell that computes on after an await
    const int Waits = 20; // each as long as the grace
    const int StackBytes = 64 << 20;

    readonly Submissions submissions = new(settings);
    Thread? thread;
    readonly BlockingCollection<JsonObject> cells = [];
    readonly BlockingCollection<JsonObject> answers = [];
    readonly Lock gate = new();
    Running? running;

    sealed record Running(int Id, CancellationTokenSource Asked, CancellationTokenSource Forced, ManualResetEventSlim Done)
    {
        /// <summary>Has it come to an await, so that the thread of cells only waits for it?</summary>
        public volatile bool Awaits;

        /// <summary>Was it told to end, whether it watches the token or not?</summary>
        public volatile bool Stopped;
    }

    /// <summary>Cancelled when the reader interrupts the cell that runs now.</summary>
    public CancellationToken Interrupted => running?.Asked.Token ?? CancellationToken.None;

    /// <summary>The variables that cells declared.</summary>
    public IEnumerable<(string Name, Type Type, object? Value)> Variables => submissions.Variables;

    public void Start()
    {
        thread = new Thread(Work, StackBytes) { IsBackground = true, Name = "cells" };
        thread.Start();
    }

    public void Receive(JsonObject message)
    {
        switch ((string?)message["op"])
        {
            case "run":
                cells.Add(message);
                break;
            case "interrupt":
                new Thread(Interrupt) { IsBackground = true }.Start();
                break;
            case "input":
                answers.Add(message);
                break;
            case "complete":
                Reply(message, () => Completion.Complete(submissions, Code(message), (int)message["pos"]!));
                break;
            case "parse":
                Reply(message, () => Errors.Syntax(Code(message), (string)message["name"]!));
                break;
            case "inspect":
                Reply(message, () => Completion.Inspect(submissions, Code(message), (int)message["pos"]!));
                break;
        }
    }

    /// <summary>A line from the reader.</summary>
    /// <exception cref="InvalidOperationException">Nobody can be asked: a loop that asks until it likes the answer would have no end.</exception>
    public string Ask(string prompt, bool password = false)
    {
        output.Flush();
        var cell = running?.Id ?? 0;
        channel.Send(new JsonObject { ["op"] = "input", ["id"] = cell, ["prompt"] = prompt, ["password"] = password });
        var answer = answers.Take(Interrupted);
        while ((int)answer["id"]! != cell) answer = answers.Take(Interrupted); // of a cell that was interrupted
        return (string?)answer["value"] ?? throw new InvalidOperationException(
            $"nobody can be asked here ({(string?)answer["why"] ?? "no answer"}): write the value in the cell, or run it where a reader can type");
    }

    /// <summary>Runs code as if it stood in the cell that runs now, and shows its value.</summary>
    public async Task RunWithin(string code)
    {
        if (await submissions.Start(code, "a command", Interrupted) is { } value) Notebook.display(value);
    }

    static string Code(JsonObject message) => (string)message["code"]!;

    void Reply(JsonObject message, Func<JsonObject> answer)
    {
        Task.Run(() =>
        {
            JsonObject reply;
            try
            {
                reply = answer();
            }
            catch (Exception error)
            {
                reply = new JsonObject { ["status"] = "failed", ["message"] = error.Message };
            }
            Send(message, reply);
        });
    }

    void Send(JsonObject message, JsonObject reply)
    {
        reply["op"] = "reply";
        reply["id"] = (int)message["id"]!;
        channel.Send(reply);
    }

    void Work()
    {
        var console = new CellConsole(output, prompt => Ask(prompt));
        submissions.WarmUp();
        _ = Task.Delay(Soon).ContinueWith(_ => Rest(), TaskScheduler.Default);
        while (true)
        {
            JsonObject cell;
            try
            {
                cell = cells.Take();
            }
            catch (ThreadInterruptedException)
            {
                continue; // meant for a cell that had just ended
            }
            var id = (int)cell["id"]!;
            console.Restore();
            output.Begin(id);
            Stop.Begin(id);
            using var asked = new CancellationTokenSource();
            using var forced = new CancellationTokenSource();
            var now = new Running(id, asked, forced, new ManualResetEventSlim());
            lock (gate) running = now;
            var reply = Run(cell, now);
            now.Done.Set();
            output.Flush();
            reply["marked"] = CellOutput.Mark(id);
            Send(cell, reply);
        }
    }

    /// <summary>
    /// What is done once, while the reader reads: else the first Tab would wait for a second, and what the
    /// compiler needed to begin would stay in memory.
    /// </summary>
    void Rest()
    {
        try
        {
            const string Code = "new[] { 1 }.";
            Completion.Complete(submissions, Code, Code.Length);
        }
        catch (Exception)
        {
            // the reader's first Tab will tell
        }
        if (running is null) GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
    }

    JsonObject Run(JsonObject cell, Running now)
    {
        JsonObject? data = null;
        Exception? error = null;
        Task<object?>? task = null;
        try
        {
            Controlled(() => task = submissions.Start(Code(cell), (string)cell["name"]!, now.Asked.Token), now);
            if (!task!.IsCompleted) Await(task, now);
            // what was displayed is under the cell already
            if (task.GetAwaiter().GetResult() is { } value and not DisplayedValue) Controlled(() => data = output.Fit(Notebook.Bundle(value)), now);
        }
        catch (Exception caught)
        {
            error = caught;
        }
        try
        {
            Dispose(task, now);
        }
        catch (Exception caught)
        {
            error ??= caught;
        }
        Leave(now);
        var ended = error is not null && (now.Stopped || Is<OperationCanceledException>(error));
        if (now.Asked.IsCancellationRequested && (now.Forced.IsCancellationRequested || ended))
        {
            return new JsonObject { ["status"] = "interrupted" };
        }
        if (error is not null) return Errors.Reply(error);
        return new JsonObject { ["status"] = "ok", ["data"] = data };
    }

    /// <summary>Ends what the cell's using declarations hold.</summary>
    void Dispose(Task? task, Running now)
    {
        if (task is { IsCompleted: false })
        {
            _ = task.ContinueWith(_ => Disposal.End(now.Id), TaskScheduler.Default); // it was left, and may yet use it
        }
        else if (now.Forced.IsCancellationRequested)
        {
            _ = Task.Run(() => Disposal.End(now.Id)); // what was aborted is not to keep the next cell waiting
        }
        else if (Disposal.Has(now.Id))
        {
            Task? ending = null;
            Controlled(() => ending = Disposal.End(now.Id), now);
            if (!ending!.IsCompleted) Await(ending, now);
            ending.GetAwaiter().GetResult();
        }
    }

    /// <summary>
    /// From here on nobody interrupts this thread for its cell, whose code has ended, and an interrupt that has just come
    /// is over. Even a lock that another thread holds lets an interrupt in, and that would end the session.
    /// </summary>
    void Leave(Running now)
    {
        while (running == now)
        {
            try
            {
                lock (gate) running = null;
            }
            catch (ThreadInterruptedException)
            {
                // meant for the cell
            }
        }
        if (!now.Stopped) return;
        try
        {
            Thread.Sleep(1);
        }
        catch (ThreadInterruptedException)
        {
        }
    }

    static bool Is<T>(Exception? error) =>
        error is T || error is AggregateException several && several.InnerExceptions.All(inner => inner is T);

    static void Controlled(Action action, Running now)
    {
#pragma warning disable SYSLIB0046 // it is obsolete for everything but this
        ControlledExecution.Run(action, now.Forced.Token);
#pragma warning restore SYSLIB0046
    }

    /// <summary>Waits for a cell that awaits something; an interrupt leaves it, if it is idle.</summary>
    void Await(Task task, Running now)
    {
        now.Awaits = true;
        var interrupted = now.Forced.Token.WaitHandle;
        var done = ((IAsyncResult)task).AsyncWaitHandle;
        if (WaitHandle.WaitAny([done, interrupted]) == 0)
        {
            now.Awaits = false; // its value is still to be shown
            return;
        }
        for (var look = 0; look < Looks; look++)
        {
            var before = Demand();
            if (done.WaitOne(LookLength)) return;
            if (Demand() - before < 0.2 * LookLength) throw new OperationCanceledException(); // it rests: leave it
        }
        channel.End("the interrupted cell computed on after an await and could not be stopped");
    }

    /// <summary>
    /// The CPU time that this process has used; on Linux with the time that its threads stood in line for a CPU, so that
    /// one that computes on a busy machine is not taken for one that rests
    /// (https://www.kernel.org/doc/html/latest/scheduler/sched-stats.html).
    /// </summary>
    static TimeSpan Demand()
    {
        var demand = Process.GetCurrentProcess().TotalProcessorTime;
        if (!Directory.Exists(Threads)) return demand;
        foreach (var thread in Directory.GetDirectories(Threads))
        {
            try
            {
                var waited = File.ReadAllText(Path.Join(thread, "schedstat")).Split(' ')[1]; // nanoseconds
                demand += TimeSpan.FromMicroseconds(long.Parse(waited, CultureInfo.InvariantCulture) / 1000.0);
            }
            catch (IOException)
            {
                // it has just ended, or this kernel does not count
            }
        }
        return demand;
    }

    void Interrupt()
    {
        Running? now;
        lock (gate) now = running;
        if (now is null) return;
        try
        {
            now.Asked.Cancel();
            if (now.Done.Wait(Grace)) return;
            now.Stopped = true;
            Stop.Ask(now.Id);
            Wake(now);
            if (Ends(now)) return;
            channel.Ending(Unstoppable); // an abort may end the process; a reply takes it back
            _ = Task.Run(now.Forced.Cancel); // it returns when the abort has been taken
            if (now.Done.Wait(Grace)) return;
            Wake(now);
        }
        catch (Exception error) when (error is ObjectDisposedException or AggregateException)
        {
            return; // it has just ended, or what a cell registered failed
        }
        if (!now.Done.Wait(Stubborn)) channel.End(Unstoppable);
    }

    /// <summary>Does a cell that was asked to stop end? On a busy machine it may not have had a CPU to see that: it gets more time then.</summary>
    static bool Ends(Running now)
    {
        using var process = Process.GetCurrentProcess();
        var before = process.TotalProcessorTime;
        for (var wait = 0; wait < Waits; wait++)
        {
            if (now.Done.Wait(Grace)) return true;
            process.Refresh();
            if (now.Awaits || process.TotalProcessorTime - before > Grace / 2) return false;
        }
        return false;
    }

    /// <summary>Ends what a cell waits for, unless that is an await.</summary>
    void Wake(Running now)
    {
        lock (gate)
        {
            if (running == now && !now.Awaits) thread?.Interrupt();
        }
    }
}
