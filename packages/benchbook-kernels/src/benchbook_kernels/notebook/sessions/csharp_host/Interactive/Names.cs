// The names under which public C# notebooks know these things (Microsoft.DotNet.Interactive).

using System.Collections;
using Benchbook;
using Microsoft.AspNetCore.Html;
using Microsoft.DotNet.Interactive.Commands;
using Microsoft.DotNet.Interactive.Formatting;

namespace Microsoft.DotNet.Interactive
{
    /// <summary>What was displayed, to be shown anew in its place.</summary>
    public sealed class DisplayedValue(string id)
    {
        public string DisplayId => id;

        public void Update(object? value) => Notebook.Update(id, Notebook.Bundle(value));
    }

    /// <summary>What a cell can know of how it runs.</summary>
    public sealed class KernelInvocationContext
    {
        KernelInvocationContext(KernelCommand command) => Command = command;

        public static KernelInvocationContext Current { get; } = new(new SubmitCode(""));

        internal static KernelInvocationContext For(KernelCommand command) => new(command);

        public KernelCommand Command { get; }

        public Kernel HandlingKernel => Kernel.Current;

        public CancellationToken CancellationToken => Notebook.Interrupted;

        public DisplayedValue Display(object? value, params string[] mimeTypes) => Notebook.display(value, mimeTypes);

        public DisplayedValue DisplayAs(string value, string mimeType, params string[] others) =>
            Notebook.display(value, [mimeType, .. others]);

        public void DisplayStandardOut(string text, object? command = null) => Console.Out.Write(text);

        public void DisplayStandardError(string text, object? command = null) => Console.Error.Write(text);
    }

    /// <summary>A formula without its dollars, (MathString)"x^2"; shown as one.</summary>
    public sealed class MathString(string latex) : Formatting.LaTeXString($"$${latex}$$")
    {
        public static implicit operator MathString(string latex) => new(latex);
    }

    public static class DisplayExtensions
    {
        public static DisplayedValue Display(this object? value, params string[] mimeTypes) => Notebook.display(value, mimeTypes);

        public static DisplayedValue DisplayAs(this string? value, string mimeType) => Notebook.display(value, mimeType);

        /// <summary>A sequence as a table, one row an item.</summary>
        public static DisplayedValue DisplayTable<T>(this IEnumerable<T> rows) =>
            Notebook.display(new HtmlString(HtmlText.Table(rows)), "text/html");

        /// <summary>Removes the indentation that all lines share.</summary>
        public static string StripIndent(this string text)
        {
            var lines = text.Split('\n');
            var indent = lines.Where(line => line.Trim() != "").Select(line => line.Length - line.TrimStart().Length).DefaultIfEmpty().Min();
            return string.Join('\n', lines.Select(line => line.Length >= indent ? line[indent..] : line.TrimStart()));
        }
    }
}

namespace Microsoft.DotNet.Interactive.Formatting
{
    /// <summary>How values are shown: by what was registered for their type, else by a default.</summary>
    public static class Formatter
    {
        sealed record Registration(Type Type, string MimeType, Func<object?, string?> Format);

        static readonly Lock Gate = new();
        static readonly List<Registration> Registrations = [];
        static readonly Dictionary<Type, string[]> Preferred = [];

        public const string PlainText = "text/plain", Html = "text/html", LaTeX = "text/latex";

        /// <summary>How many items of a sequence are shown.</summary>
        public static int ListExpansionLimit { get; set; } = 20;

        /// <summary>How deep objects within objects are shown.</summary>
        public static int RecursionLimit { get; set; } = 6;

        public static string DefaultMimeType { get; set; } = Html;

        /// <summary>Forgets what was registered and puts the limits back.</summary>
        public static void ResetToDefault()
        {
            lock (Gate)
            {
                Registrations.Clear();
                Preferred.Clear();
            }
            (ListExpansionLimit, RecursionLimit, DefaultMimeType) = (20, 6, Html);
        }

        public static void Register<T>(Func<T, string> formatter, string mimeType = PlainText, bool addToDefaults = false) =>
            Add(typeof(T), mimeType, value => formatter((T)value!));

        public static void Register<T>(Action<T, TextWriter> formatter, string mimeType = PlainText, bool addToDefaults = false) =>
            Register(typeof(T), (value, writer) => formatter((T)value, writer), mimeType);

        public static void Register(Type type, Action<object, TextWriter> formatter, string mimeType = PlainText) =>
            Add(type, mimeType, value =>
            {
                using var writer = new StringWriter();
                formatter(value!, writer);
                return writer.ToString();
            });

        /// <summary>A formatter that says by its result whether it has written the value.</summary>
        public static void Register<T>(Func<T, FormatContext, bool> formatter, string mimeType = PlainText) =>
            Register(typeof(T), (value, context) => formatter((T)value, context), mimeType);

        public static void Register(Type type, Func<object, FormatContext, bool> formatter, string mimeType = PlainText) =>
            Add(type, mimeType, value =>
            {
                using var writer = new StringWriter();
                return formatter(value!, new FormatContext(writer)) ? writer.ToString() : null;
            });

        public static void Register(Type type, Func<object, string> formatter, string mimeType = PlainText) => Add(type, mimeType, value => formatter(value!));

        static void Add(Type type, string mimeType, Func<object?, string?> format)
        {
            lock (Gate)
            {
                Registrations.RemoveAll(each => each.Type == type && each.MimeType == mimeType);
                Registrations.Add(new Registration(type, mimeType, format));
            }
        }

        public static void SetPreferredMimeTypesFor(Type type, params string[] mimeTypes)
        {
            lock (Gate) Preferred[type] = mimeTypes;
        }

        public static void SetPreferredMimeTypeFor(Type type, string mimeType) => SetPreferredMimeTypesFor(type, mimeType);

        public static IEnumerable<string> GetPreferredMimeTypesFor(Type type)
        {
            lock (Gate) return Preferred.GetValueOrDefault(type) ?? [DefaultMimeType];
        }

        public static string ToDisplayString(this object? value, string mimeType = PlainText) =>
            Registered(value, mimeType) ?? ToText(value, mimeType);

        /// <summary>Writes a value, from within a formatter for one that holds it.</summary>
        public static void FormatTo<T>(this T value, FormatContext context, string mimeType = PlainText) =>
            context.Writer.Write(mimeType == Html ? HtmlText.Inside(value) : value.ToDisplayString(mimeType));

        /// <summary>The MIME types under which a value is shown, richest first.</summary>
        internal static string[] MimeTypesFor(object? value)
        {
            if (value is null) return [PlainText];
            lock (Gate)
            {
                if (Nearest(Preferred.Keys, value.GetType()) is { } preferred) return Preferred[preferred];
                var registered = Registrations.Where(each => Fits(each.Type, value.GetType())).Select(each => each.MimeType).Distinct().ToArray();
                if (registered.Length > 0) return registered;
            }
            if (value is LaTeXString) return [LaTeX];
            if (value is IHtmlContent) return [Html];
            return Plain.IsScalar(value) ? [PlainText] : [Html];
        }

        /// <summary>What a formatter registered for a value's type makes of it, null where there is none.</summary>
        internal static string? Registered(object? value, string mimeType)
        {
            if (value is null) return null;
            Func<object?, string?>? format;
            lock (Gate)
            {
                var some = Registrations.Where(each => each.MimeType == mimeType).ToList();
                var nearest = Nearest(some.Select(each => each.Type), value.GetType());
                format = some.FirstOrDefault(each => each.Type == nearest)?.Format;
            }
            return format?.Invoke(value);
        }

        internal static string ToText(object? value, string mimeType) => mimeType switch
        {
            Html => HtmlText.Of(value),
            LaTeX => $"{value}",
            PlainText => Plain.Of(value),
            _ => value as string ?? Plain.Of(value),
        };

        internal static string PlainTwin(object? value) => Registered(value, PlainText) ?? Plain.Of(value);

        static bool Fits(Type registered, Type actual) =>
            registered.IsAssignableFrom(actual)
            || registered.IsGenericTypeDefinition && Bases(actual).Any(each => each.IsGenericType && each.GetGenericTypeDefinition() == registered);

        static IEnumerable<Type> Bases(Type type)
        {
            for (var each = type; each is not null; each = each.BaseType) yield return each;
            foreach (var each in type.GetInterfaces()) yield return each;
        }

        /// <summary>The type itself, else its nearest base, else any interface or base that fits.</summary>
        static Type? Nearest(IEnumerable<Type> registered, Type actual)
        {
            var fitting = registered.Where(each => Fits(each, actual)).ToList();
            for (var each = actual; each is not null; each = each.BaseType)
            {
                if (each != typeof(object) && fitting.Contains(each)) return each;
            }
            return fitting.LastOrDefault(each => each != typeof(object)) ?? fitting.LastOrDefault();
        }
    }

    /// <summary>Where a formatter writes.</summary>
    public sealed class FormatContext(TextWriter writer)
    {
        public TextWriter Writer => writer;
    }

    /// <summary>LaTeX as it is written in a notebook, (LaTeXString)@"\begin{align} …".</summary>
    public class LaTeXString(string latex)
    {
        public static implicit operator LaTeXString(string latex) => new(latex);

        public override string ToString() => latex;
    }

    /// <summary>For code that registers with Formatter&lt;T&gt;.</summary>
    public static class Formatter<T>
    {
        public static void Register(Func<T, FormatContext, bool> formatter, string mimeType = Formatter.PlainText) => Formatter.Register(formatter, mimeType);

        public static void Register(Func<T, string> formatter, string mimeType = Formatter.PlainText) => Formatter.Register(formatter, mimeType);

        public static void Register(Action<T, TextWriter> formatter, string mimeType = Formatter.PlainText) => Formatter.Register(formatter, mimeType);
    }

    public static class HtmlFormatter
    {
        public const string MimeType = Formatter.Html;
    }

    public static class PlainTextFormatter
    {
        public const string MimeType = Formatter.PlainText;
    }

    public static class JsonFormatter
    {
        public const string MimeType = "application/json";
    }
}
