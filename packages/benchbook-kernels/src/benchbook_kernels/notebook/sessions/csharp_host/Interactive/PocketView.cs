// HTML written as calls: div[style: "color:red"](b("bold"), " and plain").

using System.Dynamic;
using System.Net;
using System.Text;
using System.Text.Encodings.Web;
using Benchbook;
using Microsoft.AspNetCore.Html;

namespace Microsoft.DotNet.Interactive.Formatting;

/// <summary>An HTML element: indexing adds attributes, calling adds content.</summary>
public sealed class PocketView(string name, string attributes = "", string? content = null) : DynamicObject, IHtmlContent
{
    static readonly HashSet<string> Void =
        ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];

    public override bool TryInvoke(InvokeBinder binder, object?[]? args, out object? result)
    {
        result = new PocketView(name, attributes, content + string.Concat((args ?? []).Select(Text)));
        return true;
    }

    public override bool TryGetIndex(GetIndexBinder binder, object?[] indexes, out object? result)
    {
        var more = new StringBuilder(attributes);
        var names = binder.CallInfo.ArgumentNames;
        var unnamed = indexes.Length - names.Count;
        for (var i = 0; i < indexes.Length; i++)
        {
            if (i < unnamed)
            {
                more.Append(indexes[i] is string text ? $" {text}" : "");
                continue;
            }
            var attribute = names[i - unnamed].Replace('_', '-').TrimStart('@');
            more.Append($" {attribute}=\"{WebUtility.HtmlEncode(indexes[i]?.ToString())}\"");
        }
        result = new PocketView(name, more.ToString(), content);
        return true;
    }

    static string Text(object? value) => value switch
    {
        null => "",
        IHtmlContent html => HtmlText.Render(html),
        string text => WebUtility.HtmlEncode(text),
        IEnumerable<IHtmlContent> several => string.Concat(several.Select(HtmlText.Render)),
        IEnumerable<object> several => string.Concat(several.Select(Text)),
        _ => HtmlText.Inside(value),
    };

    public void WriteTo(TextWriter writer, HtmlEncoder encoder) => writer.Write(ToString());

    public override string ToString() =>
        content is null && Void.Contains(name) ? $"<{name}{attributes} />" : $"<{name}{attributes}>{content}</{name}>";
}

/// <summary>
/// The elements by their names; others are new PocketView("name"). There is no _ for them, which
/// cells need as a discard: int.TryParse(text, out _).
/// </summary>
public static class PocketViewTags
{
#pragma warning disable IDE1006, CS8981 // the names are those of HTML
    public static dynamic a => new PocketView("a");
    public static dynamic area => new PocketView("area");
    public static dynamic article => new PocketView("article");
    public static dynamic aside => new PocketView("aside");
    public static dynamic b => new PocketView("b");
    public static dynamic blockquote => new PocketView("blockquote");
    public static dynamic body => new PocketView("body");
    public static dynamic br => new PocketView("br");
    public static dynamic button => new PocketView("button");
    public static dynamic caption => new PocketView("caption");
    public static dynamic center => new PocketView("center");
    public static dynamic circle => new PocketView("circle");
    public static dynamic code => new PocketView("code");
    public static dynamic col => new PocketView("col");
    public static dynamic colgroup => new PocketView("colgroup");
    public static dynamic dd => new PocketView("dd");
    public static dynamic details => new PocketView("details");
    public static dynamic div => new PocketView("div");
    public static dynamic dl => new PocketView("dl");
    public static dynamic dt => new PocketView("dt");
    public static dynamic em => new PocketView("em");
    public static dynamic figcaption => new PocketView("figcaption");
    public static dynamic figure => new PocketView("figure");
    public static dynamic font => new PocketView("font");
    public static dynamic footer => new PocketView("footer");
    public static dynamic form => new PocketView("form");
    public static dynamic g => new PocketView("g");
    public static dynamic h1 => new PocketView("h1");
    public static dynamic h2 => new PocketView("h2");
    public static dynamic h3 => new PocketView("h3");
    public static dynamic h4 => new PocketView("h4");
    public static dynamic h5 => new PocketView("h5");
    public static dynamic h6 => new PocketView("h6");
    public static dynamic head => new PocketView("head");
    public static dynamic header => new PocketView("header");
    public static dynamic hgroup => new PocketView("hgroup");
    public static dynamic hr => new PocketView("hr");
    public static dynamic html => new PocketView("html");
    public static dynamic i => new PocketView("i");
    public static dynamic iframe => new PocketView("iframe");
    public static dynamic img => new PocketView("img");
    public static dynamic label => new PocketView("label");
    public static dynamic li => new PocketView("li");
    public static dynamic line => new PocketView("line");
    public static dynamic link => new PocketView("link");
    public static dynamic main => new PocketView("main");
    public static dynamic mark => new PocketView("mark");
    public static dynamic menu => new PocketView("menu");
    public static dynamic menuitem => new PocketView("menuitem");
    public static dynamic meter => new PocketView("meter");
    public static dynamic nav => new PocketView("nav");
    public static dynamic ol => new PocketView("ol");
    public static dynamic optgroup => new PocketView("optgroup");
    public static dynamic option => new PocketView("option");
    public static dynamic p => new PocketView("p");
    public static dynamic pre => new PocketView("pre");
    public static dynamic progress => new PocketView("progress");
    public static dynamic q => new PocketView("q");
    public static dynamic script => new PocketView("script");
    public static dynamic section => new PocketView("section");
    public static dynamic select => new PocketView("select");
    public static dynamic small => new PocketView("small");
    public static dynamic source => new PocketView("source");
    public static dynamic span => new PocketView("span");
    public static dynamic strike => new PocketView("strike");
    public static dynamic strong => new PocketView("strong");
    public static dynamic style => new PocketView("style");
    public static dynamic sub => new PocketView("sub");
    public static dynamic summary => new PocketView("summary");
    public static dynamic sup => new PocketView("sup");
    public static dynamic svg => new PocketView("svg");
    public static dynamic table => new PocketView("table");
    public static dynamic tbody => new PocketView("tbody");
    public static dynamic td => new PocketView("td");
    public static dynamic text => new PocketView("text");
    public static dynamic textarea => new PocketView("textarea");
    public static dynamic tfoot => new PocketView("tfoot");
    public static dynamic th => new PocketView("th");
    public static dynamic thead => new PocketView("thead");
    public static dynamic title => new PocketView("title");
    public static dynamic tr => new PocketView("tr");
    public static dynamic u => new PocketView("u");
    public static dynamic ul => new PocketView("ul");
    public static dynamic video => new PocketView("video");
#pragma warning restore IDE1006, CS8981
}
