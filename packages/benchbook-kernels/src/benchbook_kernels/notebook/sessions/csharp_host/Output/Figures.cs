// Figures that the front end draws with plotly.js: of plotly(data, layout), and of Plotly.NET's charts.

using System.Reflection;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Benchbook;

/// <summary>Plotly's JSON, {data, layout, config}, as a MIME bundle.</summary>
static class Figures
{
    const string Plotly = "application/vnd.plotly.v1+json", ChartType = "Plotly.NET.GenericChart", ChartJson = "toFigureJson";

    /// <summary>A figure of one series or of several; its layout and its config may be left out.</summary>
    /// <exception cref="ArgumentException">The data are no series.</exception>
    internal static JsonObject Bundle(object? data, object? layout, object? config)
    {
        var series = Json(data) is JsonArray several ? several : [Json(data)];
        if (series.Count == 0 || series.Any(each => each is not JsonObject))
        {
            throw new ArgumentException("plotly(data, layout) takes a series, as new { x, y }, or a list of them: new object[] { new { x, y }, new { y, type = \"bar\" } }");
        }
        return Shown(new JsonObject { ["data"] = series, ["layout"] = Json(layout) ?? new JsonObject(), ["config"] = Json(config) ?? new JsonObject() });
    }

    /// <summary>A chart of Plotly.NET, which cells bring from NuGet; null for any other value.</summary>
    internal static JsonObject? Of(object? value)
    {
        for (var type = value?.GetType(); type is not null; type = type.BaseType)
        {
            if (type.FullName != ChartType) continue;
            var json = type.GetMethod(ChartJson, BindingFlags.Public | BindingFlags.Static)?.Invoke(null, [value]) as string;
            return json is null ? null : Shown(JsonNode.Parse(json)!.AsObject());
        }
        return null;
    }

    static JsonObject Shown(JsonObject figure) => new() { [Plotly] = figure, ["text/plain"] = Text(figure) };

    static JsonNode? Json(object? value) => value is JsonNode node ? node.DeepClone() : JsonSerializer.SerializeToNode(value, Notebook.Finite);

    /// <summary>What is drawn, for those who don't see it: the title, and each series with its number of points.</summary>
    static string Text(JsonObject figure)
    {
        var title = figure["layout"]?["title"] is JsonObject titled ? titled["text"] : figure["layout"]?["title"];
        var lines = figure["data"]!.AsArray().Select((each, i) => $"{each!["name"] ?? $"series {i + 1}"}: {each["type"] ?? "scatter"}, {Points(each)}");
        return string.Join('\n', lines.Prepend($"A plot{(title is null ? "" : $": {title}")}"));
    }

    static string Points(JsonNode series)
    {
        var lists = new[] { "x", "y", "z", "values" }.Select(name => (series[name] as JsonArray)?.Count ?? 0);
        return $"{lists.Max()} points";
    }
}
