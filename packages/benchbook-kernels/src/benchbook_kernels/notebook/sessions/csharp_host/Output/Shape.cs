// What a value consists of, as far as it is shown: its members, its items.

using System.Collections;
using System.Globalization;
using System.Numerics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Html;
using Microsoft.DotNet.Interactive.Formatting;

namespace Benchbook;

static class Shape
{
    const int MostMembers = 40;

    /// <summary>The public properties and fields of a type, in order of declaration.</summary>
    public static IReadOnlyList<MemberInfo> Members(Type type) =>
    [
        .. type.GetMembers(BindingFlags.Instance | BindingFlags.Public)
            .Where(member => member is FieldInfo || member is PropertyInfo property && IsShown(property))
            .OrderBy(member => Depth(member.DeclaringType!) < Depth(type)) // a type's own before those that it hides
            .DistinctBy(member => member.Name)
            .Take(MostMembers),
    ];

    static int Depth(Type? type)
    {
        var depth = 0;
        for (; type is not null; type = type.BaseType) depth++;
        return depth;
    }

    static bool IsShown(PropertyInfo property) =>
        property.GetMethod is { IsPublic: true } && property.GetIndexParameters().Length == 0 && !property.PropertyType.IsByRefLike;

    /// <summary>The type as which a value is shown: a task as one, not as the state machine that the compiler makes.</summary>
    public static Type TypeOf(object value)
    {
        var type = value.GetType();
        if (value is Task)
        {
            while (!type.IsVisible) type = type.BaseType!;
        }
        return type;
    }

    /// <summary>A member's value; what its getter throws is the value where it fails.</summary>
    public static object? Get(MemberInfo member, object of)
    {
        if (of is Task { IsCompleted: false } && member.Name == nameof(Task<>.Result)) return "(not yet computed)"; // it would wait
        try
        {
            return member is FieldInfo field ? field.GetValue(of) : ((PropertyInfo)member).GetValue(of);
        }
        catch (TargetInvocationException error)
        {
            return error.InnerException;
        }
        catch (Exception error) when (error is NotSupportedException or ArgumentException)
        {
            return error;
        }
    }

    /// <summary>The first items of a sequence, and how many more there are: -1 if that is not known.</summary>
    public static (List<object?> Items, int More) Items(IEnumerable sequence)
    {
        var limit = Formatter.ListExpansionLimit;
        List<object?> items = [];
        foreach (var item in sequence)
        {
            if (items.Count == limit) return (items, Count(sequence) is { } count ? count - limit : -1);
            items.Add(item);
        }
        return (items, 0);
    }

    static int? Count(IEnumerable sequence) => sequence switch
    {
        ICollection collection => collection.Count,
        _ => sequence.GetType().GetInterfaces().FirstOrDefault(each => Is(each, typeof(IReadOnlyCollection<>)))
            ?.GetProperty("Count")?.GetValue(sequence) as int?,
    };

    public static string More(int more) => more < 0 ? "… (more)" : $"({more} more)";

    /// <summary>Is it one thing, shown as text, rather than one made of members or items?</summary>
    public static bool IsScalar(object value)
    {
        var type = value.GetType();
        if (type.IsPrimitive || type.IsEnum) return true;
        if (value is string or decimal or DateTime or DateTimeOffset or TimeSpan or DateOnly or TimeOnly or Guid or Uri or Version
            or BigInteger or Complex or Half or Int128 or UInt128 or Index or Range or Type or MemberInfo or Delegate or CultureInfo
            or JsonElement or JsonDocument or JsonNode or System.Text.StringBuilder or CancellationToken or Assembly)
        {
            return true;
        }
        if (IsNewtonsofts(type)) return true; // a JValue is a sequence, too, without items
        if (value is IEnumerable || value is ITuple || value is Exception) return false;
        return Members(TypeOf(value)).Count == 0;
    }

    static bool IsNewtonsofts(Type? type)
    {
        for (; type is not null; type = type.BaseType)
        {
            if (type.FullName == "Newtonsoft.Json.Linq.JToken") return true;
        }
        return false;
    }

    /// <summary>Does a type say itself how it reads, other than as records do?</summary>
    public static bool SaysItself(Type type) =>
        type.GetMethod(nameof(ToString), Type.EmptyTypes) is { } method
        && method.DeclaringType != typeof(object) && method.DeclaringType != typeof(ValueType)
        && !method.IsDefined(typeof(CompilerGeneratedAttribute)) && !IsAnonymous(type);

    public static bool IsAnonymous(Type type) => type.Name.StartsWith("<>f__AnonymousType");

    /// <summary>A dictionary's entry, or a group and its key, as the two of which it consists.</summary>
    public static (object? Key, object? Value)? Pair(object? item)
    {
        if (item is DictionaryEntry entry) return (entry.Key, entry.Value);
        var type = item?.GetType();
        if (Is(type, typeof(KeyValuePair<,>))) return (type!.GetProperty("Key")!.GetValue(item), type.GetProperty("Value")!.GetValue(item));
        var group = type?.GetInterfaces().FirstOrDefault(each => Is(each, typeof(IGrouping<,>)));
        return group is null ? null : (group.GetProperty("Key")!.GetValue(item), item);
    }

    static bool Is(Type? type, Type generic) => type is { IsGenericType: true } && type.GetGenericTypeDefinition() == generic;

    public static string Scalar(object value) => value switch
    {
        string text => text,
        bool flag => flag ? "True" : "False",
        DateTime time => time.ToString("u", CultureInfo.InvariantCulture),
        DateTimeOffset time => time.ToString("u", CultureInfo.InvariantCulture),
        JsonElement element => element.ToString(),
        JsonDocument document => document.RootElement.ToString(),
        JsonNode node => node.ToJsonString(Notebook.Lenient),
        Type type => Name(type),
        IFormattable number => number.ToString(null, CultureInfo.CurrentCulture),
        _ => value.ToString() ?? "",
    };

    public static string Name(Type type)
    {
        if (type.IsGenericParameter) return type.Name; // its declaring type is the generic type, which names it
        if (IsAnonymous(type)) return "anonymous";
        var own = type.Name.Split('`')[0];
        if (type.IsArray) return Name(type.GetElementType()!) + "[]";
        var arguments = type.IsGenericType ? $"<{string.Join(",", type.GetGenericArguments().Select(Name))}>" : "";
        var space = type.DeclaringType is { } outer ? outer.Name.StartsWith("Submission#") ? "" : Name(outer) + "." : type.Namespace is { } given ? given + "." : "";
        return space + own + arguments;
    }
}

/// <summary>Values as plain text, the twin of what a browser shows.</summary>
static class Plain
{
    const int WidestColumn = 40;

    public static bool IsScalar(object value) => Shape.IsScalar(value);

    public static string Of(object? value)
    {
        if (value is IEnumerable rows and not string and not IHtmlContent && !Shape.IsScalar(value) && Table(rows) is { } table) return table;
        return Inline(value, 0);
    }

    static string Inline(object? value, int depth)
    {
        if (value is null) return "<null>";
        if (Formatter.Registered(value, Formatter.PlainText) is { } registered) return registered;
        if (value is IHtmlContent html) return HtmlText.Strip(HtmlText.Render(html));
        if (Shape.IsScalar(value)) return Shape.Scalar(value);
        if (value is Exception error) return Errors.Describe(error);
        if (depth > Formatter.RecursionLimit) return Shape.Name(Shape.TypeOf(value));
        if (value is ITuple tuple)
        {
            return $"({string.Join(", ", Enumerable.Range(0, tuple.Length).Select(i => Inline(tuple[i], depth + 1)))})";
        }
        if (value is IEnumerable sequence)
        {
            var (items, more) = Shape.Items(sequence);
            var texts = items.Select(item => Shape.Pair(item) is { } pair
                ? $"{Inline(pair.Key, depth + 1)}: {Inline(pair.Value, depth + 1)}" : Inline(item, depth + 1));
            var dictionary = items.Count > 0 && items.All(item => Shape.Pair(item) is not null);
            var inner = string.Join(", ", more == 0 ? texts : texts.Append(Shape.More(more)));
            return dictionary ? $"{{ {inner} }}" : items.Count == 0 ? "[ ]" : $"[ {inner} ]";
        }
        var type = Shape.TypeOf(value);
        if (Shape.SaysItself(type)) return value.ToString() ?? "";
        var members = Shape.Members(type).Select(member => $"{member.Name} = {Inline(Shape.Get(member, value), depth + 1)}");
        var name = Shape.IsAnonymous(type) ? "" : Shape.Name(type) + " ";
        return $"{name}{{ {string.Join(", ", members)} }}";
    }

    /// <summary>Rows of objects as aligned columns, null where they are not that.</summary>
    static string? Table(IEnumerable rows)
    {
        var (items, more) = Shape.Items(rows);
        if (items.Count == 0 || items.Any(item => item is null or IEnumerable or ITuple or IHtmlContent
            || Shape.IsScalar(item) || Shape.Pair(item) is not null || Formatter.Registered(item, Formatter.PlainText) is not null)) return null;
        var type = Shape.TypeOf(items[0]!);
        if (items.Any(item => Shape.TypeOf(item!) != type) || Shape.SaysItself(type)) return null;
        var members = Shape.Members(type);
        List<string[]> lines = [[.. members.Select(member => member.Name)]];
        lines.AddRange(items.Select(item => members.Select(member => Cut(Inline(Shape.Get(member, item!), 1))).ToArray()));
        var widths = members.Select((_, i) => lines.Max(line => line[i].Length)).ToArray();
        var texts = lines.Select(line => string.Join("  ", line.Select((cell, i) => cell.PadRight(widths[i]))).TrimEnd()).ToList();
        texts.Insert(1, string.Join("  ", widths.Select(width => new string('-', width))));
        if (more != 0) texts.Add(Shape.More(more));
        return string.Join('\n', texts);
    }

    static string Cut(string text)
    {
        text = text.ReplaceLineEndings(" ");
        return text.Length <= WidestColumn ? text : text[..(WidestColumn - 1)] + "…";
    }
}
