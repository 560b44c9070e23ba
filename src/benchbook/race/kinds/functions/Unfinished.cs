// Finds the [Benchmark] methods that return before their work is done, so that nobody would time it.
//
// BenchmarkDotNet waits for Task and ValueTask, and refuses IEnumerable and the like; of the rest it only keeps what is returned.

using System.Collections;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Benchbook.Micro;

static class Unfinished
{
    static readonly Type[] Deferred =
    [
        typeof(IEnumerable<>), typeof(IOrderedEnumerable<>), typeof(IEnumerator<>), typeof(IGrouping<,>), typeof(Lazy<>),
    ];

    /// <exception cref="InvalidOperationException">The work of a method would not be timed; says why, and what to do.</exception>
    public static void Refuse(MethodInfo method)
    {
        if (Reason(method) is { } reason) throw new InvalidOperationException($"{method.DeclaringType?.Name}.{method.Name} {reason}");
    }

    static string? Reason(MethodInfo method)
    {
        if (method.ReturnType != typeof(void)) return Reason(method.ReturnType);
        return method.IsDefined(typeof(AsyncStateMachineAttribute), inherit: false)
            ? "is async void: it returns at its first await, and nobody can wait for the rest. Return a Task"
            : null;
    }

    static string? Reason(Type type)
    {
        if (typeof(Task).IsAssignableFrom(type) || type.IsValueType && type.FullName!.StartsWith("System.Threading.Tasks.ValueTask"))
        {
            return type.GetGenericArguments() is [var result] ? Reason(result) : null;
        }
        if (Kinds(type).Any(each => each.IsGenericType && each.GetGenericTypeDefinition() == typeof(IAsyncEnumerable<>)))
        {
            return $"returns {Name(type)}, which nobody enumerates. Go through it with await foreach, and return what comes out";
        }
        if (type == typeof(IEnumerable) || type == typeof(IEnumerator) || typeof(IQueryable).IsAssignableFrom(type) || typeof(ParallelQuery).IsAssignableFrom(type)
            || type.IsGenericType && Deferred.Contains(type.GetGenericTypeDefinition()))
        {
            return $"returns {Name(type)}, whose work is done when somebody asks for it, and nobody does. Return its sum or its ToArray()";
        }
        var awaiter = type.GetMethod("GetAwaiter", BindingFlags.Public | BindingFlags.Instance, [])?.ReturnType;
        return typeof(INotifyCompletion).IsAssignableFrom(awaiter)
            ? $"returns {Name(type)}, for which nobody waits: only Task and ValueTask are awaited. Await it, and return a Task"
            : null;
    }

    static IEnumerable<Type> Kinds(Type type) => type.GetInterfaces().Append(type);

    static string Name(Type type) =>
        type.Name.Split('`')[0] + (type.IsGenericType ? $"<{string.Join(", ", type.GetGenericArguments().Select(Name))}>" : "");
}
