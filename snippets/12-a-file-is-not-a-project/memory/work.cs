using System.Linq.Expressions;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using System.Text.RegularExpressions;

Console.WriteLine($"{Work.Last()} {Work.Array().Length} {Work.Call()} {Work.Compile()}");
Console.WriteLine($"{Work.Regexp()} {Work.RegexpGenerated()}");
Console.WriteLine($"{Work.Json().Length} {Work.JsonGenerated().Length}");

public static partial class Work
{
    static readonly int[] numbers = [.. Enumerable.Range(0, 1000)];

    public static int Last() => numbers.Select(n => n * 2).Last();
    public static int[] Array() => numbers.Select(n => n * 2).ToArray();

    static readonly Expression<Func<int, int>> twice = n => n * 2;
    static readonly Func<int, int> compiled = twice.Compile();

    public static int Call() => numbers.Sum(compiled); // calls it 1,000 times
    public static int Compile() => twice.Compile()(21);

    const string Pattern = @"(\w+) (/\S*) HTTP/(\d)\.(\d)";
    const string Line = "127.0.0.1 [29/Nov/2026:11:36:47] \"GET /items/42?sort=price HTTP/1.1\" 200 512\n";
    static readonly string log = string.Concat(Enumerable.Repeat(Line, 10));
    static readonly Regex requests = new(Pattern, RegexOptions.Compiled);
    [GeneratedRegex(Pattern)] private static partial Regex Requests { get; }

    public static int Regexp() => requests.Count(log);
    public static int RegexpGenerated() => Requests.Count(log);

    static readonly Item[] items = [.. Enumerable.Range(0, 20).Select(i => new Item(i, $"item {i}", i))];
    static readonly JsonSerializerOptions reflection = new()
    {
        TypeInfoResolver = new DefaultJsonTypeInfoResolver(), // else it throws where PublishAot is on
    };

    public static byte[] Json() => JsonSerializer.SerializeToUtf8Bytes(items, reflection);
    public static byte[] JsonGenerated() => JsonSerializer.SerializeToUtf8Bytes(items, Items.Default.ItemArray);
}

public record Item(int Id, string Name, double Price);

[JsonSerializable(typeof(Item[]))]
public partial class Items : JsonSerializerContext;
