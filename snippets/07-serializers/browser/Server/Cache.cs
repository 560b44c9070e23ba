using System.Collections.Concurrent;
using Serializers;

namespace Weather.Server;

/// <summary>The forecasts, made once; as in the slides the data is cached, its bytes are not.</summary>
public sealed class Cache
{
    readonly ConcurrentDictionary<(Type, int), IForecast[]> made = [];

    public T[] Get<T>(int n) where T : class, IForecast, new()
    {
        if (made.Count >= 32) made.Clear(); // a page asks for few numbers of forecasts; a script may ask for all
        return (T[])made.GetOrAdd((typeof(T), n), _ => Forecasts.Make<T>(n));
    }
}
