// What the using declarations of a cell hold (see Locals.cs), disposed when the cell has ended.

using System.ComponentModel;
using System.Runtime.ExceptionServices;

namespace Benchbook;

[EditorBrowsable(EditorBrowsableState.Never)]
public static class Disposal
{
    static readonly Lock Gate = new();
    static readonly List<(int Cell, Func<ValueTask> Dispose)> Resources = [];

    public static void Add(IDisposable? resource)
    {
        if (resource is not null) Add(() =>
        {
            resource.Dispose();
            return ValueTask.CompletedTask;
        });
    }

    public static void AddAsync(IAsyncDisposable? resource)
    {
        if (resource is not null) Add(resource.DisposeAsync);
    }

    static void Add(Func<ValueTask> dispose)
    {
        lock (Gate) Resources.Add((Stop.Current, dispose));
    }

    internal static bool Has(int cell)
    {
        lock (Gate) return Resources.Exists(resource => resource.Cell == cell);
    }

    /// <summary>Disposes what a cell holds, the newest first, all of it also where some fail.</summary>
    internal static async Task End(int cell)
    {
        List<Func<ValueTask>> all;
        lock (Gate)
        {
            all = [.. Resources.Where(resource => resource.Cell == cell).Select(resource => resource.Dispose).Reverse()];
            Resources.RemoveAll(resource => resource.Cell == cell);
        }
        Exception? error = null;
        foreach (var dispose in all)
        {
            try
            {
                await dispose();
            }
            catch (Exception caught)
            {
                error = caught;
            }
        }
        if (error is not null) ExceptionDispatchInfo.Throw(error);
    }
}
