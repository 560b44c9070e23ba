// What cells can call without a using: display, plotly, HTML, and their like.

using System.Collections;
using System.Numerics;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization;
using Microsoft.AspNetCore.Html;
using Microsoft.DotNet.Interactive;
using Microsoft.DotNet.Interactive.Formatting;

namespace Benchbook;

/// <summary>The functions of a notebook; their names are those that public C# notebooks use.</summary>
public static class Notebook
{
    static CellOutput output = null!;
    static Session session = null!;

    internal static void Attach(CellOutput cells, Session of) => (output, session) = (cells, of);

    /// <summary>Cancelled when the reader interrupts the cell that runs now.</summary>
    public static CancellationToken Interrupted => session.Interrupted;

    /// <summary>Shows a value under the cell; the handle's Update shows another in its place.</summary>
    public static DisplayedValue display(object? value, params string[] mimeTypes) => Show(Bundle(value, mimeTypes));

    /// <summary>Shows a MIME bundle: {"text/html": "…", "application/json": anything}.</summary>
    public static DisplayedValue display(IReadOnlyDictionary<string, object?> bundle) => display((object)bundle);

    /// <summary>Draws a figure with plotly: a series, as new { x, y }, or a list of them, and its layout.</summary>
    /// <exception cref="ArgumentException">The data are no series.</exception>
    public static DisplayedValue plotly(object data, object? layout = null, object? config = null) => Show(Figures.Bundle(data, layout, config));

    public static IHtmlContent HTML(string content) => new HtmlString(content);

    /// <summary>JavaScript for the page of the notebook.</summary>
    public static void Javascript(string code) => Show(new JsonObject
    {
        ["application/javascript"] = code,
        ["text/html"] = $"<script type=\"text/javascript\">{code}</script>",
        ["text/plain"] = code,
    });

    /// <summary>Styles for the page of the notebook.</summary>
    public static void CSS(string content) => Show(new JsonObject
    {
        ["text/html"] = $"<style>{content}</style>",
        ["text/plain"] = content,
    });

    /// <summary>Asks the reader for a line.</summary>
    /// <exception cref="InvalidOperationException">Nobody can be asked.</exception>
    public static string input(string prompt = "") => session.Ask(prompt);

    /// <summary>Asks for a line that is not shown as it is typed.</summary>
    /// <exception cref="InvalidOperationException">Nobody can be asked.</exception>
    public static string password(string prompt = "") => session.Ask(prompt, password: true);

    /// <summary>Carries out a #! line that a cell has added (see cell_run.py).</summary>
    public static async Task Directive(string line)
    {
        if (!await Kernel.TryDirective(line)) throw new UnknownDirective();
    }

    /// <summary>Runs C# from within a cell, and shows its value.</summary>
    internal static Task Run(string code) => session.RunWithin(code);

    /// <summary>The variables of the session, for #!whos; their names alone, for #!who.</summary>
    public static object Variables(bool values)
    {
        var all = session.Variables.OrderBy(each => each.Name, StringComparer.OrdinalIgnoreCase);
        return values ? all.Select(each => new { Variable = each.Name, each.Type, each.Value }).ToList() : all.Select(each => each.Name).ToList();
    }

    internal static DisplayedValue Show(JsonObject bundle)
    {
        var id = Guid.NewGuid().ToString("N");
        output.Display(bundle, id, update: false);
        return new DisplayedValue(id);
    }

    internal static void Update(string id, JsonObject bundle) => output.Display(bundle, id, update: true);

    /// <summary>A value as a MIME bundle; what is JSON by its type is JSON in it.</summary>
    internal static JsonObject Bundle(object? value, params string[] mimeTypes)
    {
        if (mimeTypes.Length == 0 && (AsBundle(value) ?? Figures.Of(value)) is { } given) return given;
        var types = mimeTypes.Length > 0 ? mimeTypes : Formatter.MimeTypesFor(value);
        var bundle = new JsonObject();
        foreach (var type in types) bundle[type] = Content(value, type);
        if (!bundle.ContainsKey("text/plain")) bundle["text/plain"] = Formatter.PlainTwin(value);
        return bundle;
    }

    static JsonObject? AsBundle(object? value)
    {
        if (value is not IEnumerable<KeyValuePair<string, object?>> pairs || value is JsonObject) return null;
        var bundle = new JsonObject();
        foreach (var (type, content) in pairs)
        {
            if (!IsMimeType(type)) return null;
            bundle[type] = IsJson(type) ? Json(content) : content as string ?? Formatter.ToText(content, type);
        }
        return bundle.Count > 0 ? bundle : null;
    }

    static bool IsMimeType(string text) =>
        text.Count(letter => letter == '/') == 1 && text.Split('/')[0] is "text" or "image" or "application" or "audio" or "video" or "model";

    static bool IsJson(string type) => type.Split(';')[0].TrimEnd() is "application/json" || type.Contains("+json");

    static JsonNode? Content(object? value, string type) =>
        Formatter.Registered(value, type) is { } made ? IsJson(type) ? Json(made) : made
        : IsJson(type) ? Json(value)
        : value as string ?? Formatter.ToText(value, type);

    /// <summary>A value as JSON: text that is JSON as what it says, anything else serialized.</summary>
    static JsonNode? Json(object? value)
    {
        switch (value)
        {
            case null:
                return null;
            case JsonNode node:
                return node.DeepClone();
            case JsonDocument document:
                return JsonNode.Parse(document.RootElement.GetRawText());
            case string text:
                try
                {
                    return JsonNode.Parse(text);
                }
                catch (JsonException)
                {
                    return text;
                }
            default:
                return JsonSerializer.SerializeToNode(value, value.GetType(), Lenient);
        }
    }

    internal static readonly JsonSerializerOptions Lenient = new()
    {
        IncludeFields = true,
        ReferenceHandler = ReferenceHandler.IgnoreCycles,
        NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    /// <summary>The MIME type of what #!share carries (see session.py).</summary>
    internal const string SharedType = "application/vnd.benchbook.shared";

    internal static readonly JsonSerializerOptions Finite = new(Lenient)
    {
        Converters = { new FiniteConverter<double>(), new FiniteConverter<float>(), new FiniteConverter<Half>() },
    };

    /// <summary>A variable as JSON in a MIME bundle, for #!share.</summary>
    public static IReadOnlyDictionary<string, object?> ToShared(object? value) =>
        new Dictionary<string, object?> { [SharedType] = JsonSerializer.Serialize(value, Finite) };

    /// <summary>Writes null for NaN and infinities, as JavaScript does.</summary>
    sealed class FiniteConverter<T> : JsonConverter<T> where T : struct, IFloatingPointIeee754<T>
    {
        public override T Read(ref Utf8JsonReader reader, Type type, JsonSerializerOptions options) => throw new NotSupportedException();

        public override void Write(Utf8JsonWriter writer, T value, JsonSerializerOptions options)
        {
            if (T.IsFinite(value)) JsonSerializer.Serialize(writer, value);
            else writer.WriteNullValue();
        }
    }
}

/// <summary>No cell has added that #! line.</summary>
public sealed class UnknownDirective : Exception;
