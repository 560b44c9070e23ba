// Values as HTML: tables for sequences of objects and for members, text for everything else.

using System.Collections;
using System.Net;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Html;
using Microsoft.DotNet.Interactive.Formatting;

namespace Benchbook;

static partial class HtmlText
{
    public static string Of(object? value) => value switch
    {
        IHtmlContent html => Render(html),
        null => "&lt;null&gt;",
        _ when Shape.IsScalar(value) => Pre(Shape.Scalar(value)),
        _ => Any(value, 0),
    };

    public static string Render(IHtmlContent html)
    {
        using var writer = new StringWriter();
        html.WriteTo(writer, HtmlEncoder.Default);
        return writer.ToString();
    }

    /// <summary>HTML without its tags, scripts and styles; what stands apart on a page stands apart here.</summary>
    public static string Strip(string html)
    {
        var apart = CellEnds().Replace(BlockEnds().Replace(html, "$&\n"), "$& ");
        var lines = WebUtility.HtmlDecode(Tags().Replace(apart, "")).Split('\n').Select(line => line.TrimEnd());
        return Gaps().Replace(string.Join('\n', lines), "\n\n").Trim();
    }

    [GeneratedRegex(@"<br\b[^>]*>|</(p|div|li|h[1-6]|tr|pre|dd|dt|summary|caption|blockquote)\s*>", RegexOptions.IgnoreCase)]
    private static partial Regex BlockEnds();

    [GeneratedRegex(@"</t[dh]\s*>", RegexOptions.IgnoreCase)]
    private static partial Regex CellEnds();

    [GeneratedRegex(@"\n{3,}")]
    private static partial Regex Gaps();

    [GeneratedRegex(@"<(script|style)\b.*?</\1\s*>|<[^>]*>", RegexOptions.Singleline | RegexOptions.IgnoreCase)]
    private static partial Regex Tags();

    static string Pre(string text) => $"<div class=\"dni-plaintext\"><pre>{WebUtility.HtmlEncode(text)}</pre></div>";

    static string Any(object? value, int depth)
    {
        if (value is null) return "&lt;null&gt;";
        if (Own(value) is { } own) return own;
        if (Shape.IsScalar(value)) return WebUtility.HtmlEncode(Shape.Scalar(value));
        if (value is Exception error) return $"<pre>{WebUtility.HtmlEncode(Errors.Describe(error))}</pre>";
        if (depth > Formatter.RecursionLimit) return WebUtility.HtmlEncode(Shape.Name(Shape.TypeOf(value)));
        if (value is ITuple tuple)
        {
            return Rows(null, Enumerable.Range(0, tuple.Length).Select(i => new[] { $"Item{i + 1}", Any(tuple[i], depth + 1) }));
        }
        return value is IEnumerable sequence ? Sequence(sequence, depth) : Members(value, depth);
    }

    /// <summary>What a formatter makes of a value, or the HTML that it is; null where it is neither.</summary>
    static string? Own(object value) =>
        Formatter.Registered(value, Formatter.Html) ?? (value is IHtmlContent html ? Render(html)
            : Formatter.Registered(value, Formatter.PlainText) is { } text ? WebUtility.HtmlEncode(text) : null);

    public static string Table(IEnumerable rows) => Sequence(rows, 0);

    /// <summary>A value within other HTML.</summary>
    public static string Inside(object? value) => Any(value, 1);

    static string Sequence(IEnumerable sequence, int depth)
    {
        var (items, more) = Shape.Items(sequence);
        var rest = more == 0 ? "" : $"<div>{Shape.More(more)}</div>";
        if (items.Count > 0 && items.All(item => Shape.Pair(item) is not null))
        {
            var pairs = items.Select(item => Shape.Pair(item)!.Value);
            return Rows(["key", "value"], pairs.Select(pair => new[] { Any(pair.Key, depth + 1), Any(pair.Value, depth + 1) })) + rest;
        }
        if (items.Count == 0 || items.All(IsText))
        {
            var texts = items.Select(item => Any(item, depth + 1));
            return depth == 0
                ? $"<div class=\"dni-plaintext\"><pre>[ {string.Join(", ", texts)} ]</pre></div>{rest}"
                : $"[ {string.Join(", ", texts)} ]{rest}";
        }
        if (items.Any(item => IsText(item) || item is IEnumerable or ITuple || Own(item!) is not null))
        {
            return Rows(["index", "value"], items.Select((item, i) => new[] { $"{i}", Any(item, depth + 1) })) + rest;
        }
        // one column a member, of all types among the rows
        List<string> columns = [];
        var cells = items.Select(item =>
        {
            var members = Shape.Members(Shape.TypeOf(item!));
            foreach (var member in members.Where(member => !columns.Contains(member.Name))) columns.Add(member.Name);
            return members.ToDictionary(member => member.Name, member => Any(Shape.Get(member, item!), depth + 1));
        }).ToList();
        var body = cells.Select((row, i) => columns.Select(column => row.GetValueOrDefault(column, "")).Prepend($"{i}").ToArray());
        return Rows(["index", .. columns.Select(WebUtility.HtmlEncode)!], body) + rest;
    }

    static bool IsText(object? item) => item is null || item is not IHtmlContent && Shape.IsScalar(item);

    static string Members(object value, int depth)
    {
        var type = Shape.TypeOf(value);
        var members = Shape.Members(type);
        var title = Shape.IsAnonymous(type) ? "" : WebUtility.HtmlEncode(Shape.SaysItself(type) ? value.ToString() : Shape.Name(type));
        var table = Rows(null, members.Select(member => new[] { WebUtility.HtmlEncode(member.Name), Any(Shape.Get(member, value), depth + 1) }));
        return title == "" || members.Count == 0 ? title + table : $"<details open><summary>{title}</summary>{table}</details>";
    }

    static string Rows(IReadOnlyList<string>? head, IEnumerable<string[]> rows)
    {
        var text = new StringBuilder("<table>");
        if (head is not null)
        {
            var cells = head.Select(cell => $"<th scope=\"col\" style=\"text-align: left\">{cell}</th>");
            text.Append("<thead><tr>").Append(string.Concat(cells)).Append("</tr></thead>");
        }
        text.Append("<tbody>");
        foreach (var row in rows)
        {
            text.Append("<tr>");
            for (var i = 0; i < row.Length; i++)
            {
                var tag = i == 0 && head is null ? "th" : "td";
                text.Append($"<{tag} style=\"text-align: left\">{row[i]}</{tag}>");
            }
            text.Append("</tr>");
        }
        return text.Append("</tbody></table>").ToString();
    }
}
