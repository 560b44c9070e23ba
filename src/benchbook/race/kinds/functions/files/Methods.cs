// Finds the methods of a reader's own file, tells what they answer, and has them timed in slices.
//
//   DOTNET_STARTUP_HOOKS=Methods.dll dotnet a.dll --benchbook list
//   DOTNET_STARTUP_HOOKS=Methods.dll dotnet a.dll --benchbook answers Class.Method [CASE…]
//   echo 0.5 | DOTNET_STARTUP_HOOKS=Methods.dll dotnet a.dll --benchbook slices Class.Method [CASE]
//
// The runtime calls it before the program's own entry point, with the program's own packages and settings
// (https://github.com/dotnet/runtime/blob/main/docs/design/features/host-startup-hook.md). Methods with [Benchmark]
// are taken by BenchmarkDotNet's rules, whose attributes are known by their names: they may be the package's
// or those of Attributes.cs. In a file without any, each public method of a public class is taken that
// needs no arguments.

using System.Collections;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Benchbook.Micro;

internal static class StartupHook
{
    public static void Initialize()
    {
        if (Environment.GetCommandLineArgs() is not [_, "--benchbook", var verb, .. var rest]) return;
        Environment.SetEnvironmentVariable("DOTNET_STARTUP_HOOKS", null); // not for what the program starts
        var methods = new Methods(Assembly.GetEntryAssembly()!);
        Environment.Exit((verb, rest) switch
        {
            ("slices", [var name, .. var given]) => Slices.Run(() => methods.Subject(name, given is [var one, ..] ? one : "")),
            ("answers", [var name, .. var cases]) => Tried(() => Answers.Tell(methods, name, cases)),
            _ => Tried(() => Slices.Say(methods.List())),
        });
    }

    static int Tried(Action act)
    {
        try
        {
            act();
            return 0;
        }
        catch (Exception error)
        {
            Console.Error.WriteLine(error is TargetInvocationException { InnerException: { } cause } ? cause : error);
            return 1;
        }
    }
}

/// <summary>The methods of an assembly that can be timed, in the order of its source.</summary>
sealed class Methods
{
    const BindingFlags Any = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static;
    readonly MethodInfo[] found;
    readonly bool marked;
    readonly string[] left, generic;

    public Methods(Assembly assembly)
    {
        Type[] classes = [.. assembly.GetTypes().Where(IsClass).OrderBy(type => type.MetadataToken)];
        MethodInfo[] every = [.. classes.SelectMany(Own)];
        MethodInfo[] all = [.. every.Where(method => !method.IsGenericMethodDefinition)];
        MethodInfo[] benchmarks = [.. all.Where(method => Attribute(method, "Benchmark") is not null)];
        marked = benchmarks.Length > 0;
        MethodInfo[] plain = [.. all.Where(IsPlain)];
        found = marked ? benchmarks : [.. plain.Where(method => Arguments(method).Length > 0)];
        left = marked ? [] : [.. plain.Except(found).Select(method => Name(method))];
        generic = [.. every.Except(all).Where(method => marked ? Attribute(method, "Benchmark") is not null : IsPlain(method)).Select(Name)];
    }

    static bool IsClass(Type type) =>
        type is { IsClass: true, IsGenericTypeDefinition: false } && !type.IsDefined(typeof(CompilerGeneratedAttribute))
        && (!type.IsAbstract || type.IsSealed) && !typeof(Attribute).IsAssignableFrom(type);

    static IEnumerable<MethodInfo> Own(Type type) => type.GetMethods(Any)
        .Where(method => method.DeclaringType!.Assembly == type.Assembly && !method.IsSpecialName)
        .Where(method => !method.IsDefined(typeof(CompilerGeneratedAttribute))).OrderBy(method => method.MetadataToken);

    static bool IsPlain(MethodInfo method) =>
        method is { IsPublic: true, ReflectedType.IsVisible: true } && (method.IsStatic || Constructor(method) is not null)
        && method.GetBaseDefinition().DeclaringType!.Assembly == method.ReflectedType.Assembly
        && !(method.Name == "Main" && method.IsStatic) && method.Name is not ("Dispose" or "DisposeAsync")
        && !new[] { "GlobalSetup", "GlobalCleanup", "IterationSetup", "IterationCleanup" }.Any(name => Attribute(method, name) is not null);

    static ConstructorInfo? Constructor(MethodInfo method) => method.ReflectedType!.GetConstructor(Any & ~BindingFlags.Static, []);

    static string Name(MethodInfo method) => $"{method.ReflectedType!.Name}.{method.Name}";

    public object List() => new
    {
        Methods = found.Select(method => new
        {
            Name = Name(method),
            Baseline = Named(Attribute(method, "Benchmark"), "Baseline") is true,
            Cases = Cases(method).Select(each => each.Name).ToArray(),
        }),
        Left = left,
        Generic = generic,
    };

    /// <summary>The method in a case, bound and set up; a new object each time.</summary>
    public Subject Subject(string name, string given)
    {
        var method = found.Single(each => Name(each) == name);
        Unfinished.Refuse(method);
        var type = method.ReflectedType!;
        if (Hook(method, "IterationSetup") is not null || Hook(method, "IterationCleanup") is not null) throw new NotSupportedException(Slices.NoIterations);
        var (_, settings, arguments) = Cases(method).First(each => each.Name == given);
        if (!method.IsStatic && Constructor(method) is null) throw new NotSupportedException($"{type.Name} has no constructor without parameters");
        var instance = method.IsStatic ? null : Activator.CreateInstance(type, nonPublic: true);
        foreach (var (member, value) in settings) Benchbook.Micro.Subject.Set(type, instance, member.Name, value);
        Benchbook.Micro.Subject.Invoke(Hook(method, "GlobalSetup"), instance);
        var operations = Named(Attribute(method, "Benchmark"), "OperationsPerInvoke") as int? ?? 1;
        return new Subject(method, instance, arguments, operations, Hook(method, "GlobalCleanup"));
    }

    /// <summary>The method of setup or cleanup that goes with a benchmark.</summary>
    static MethodInfo? Hook(MethodInfo method, string name) => method.ReflectedType!.GetMethods(Any)
        .FirstOrDefault(each => Attribute(each, name) is { } about && Targets(about) is var targets && (targets.Length == 0 || targets.Contains(method.Name)));

    static string[] Targets(CustomAttributeData about) =>
        Named(about, "Target") is string one ? [one]
        : Named(about, "Targets") is IEnumerable<CustomAttributeTypedArgument> many ? [.. many.Select(each => (string)each.Value!)] : [];

    record Case(string Name, (MemberInfo Member, object? Value)[] Settings, object?[] Arguments);

    /// <summary>Every choice of parameters with every list of arguments.</summary>
    static Case[] Cases(MethodInfo method)
    {
        IEnumerable<(MemberInfo Member, object? Value)[]> settings = [[]];
        var members = method.ReflectedType!.GetMembers(Any).Where(each => each is FieldInfo or PropertyInfo).OrderBy(each => each.MetadataToken);
        foreach (var member in members)
        {
            if (Values(member) is not { } values) continue;
            settings = [.. settings.SelectMany(before => values, (before, value) => ((MemberInfo, object?)[])[.. before, (member, value)])];
        }
        var names = method.GetParameters().Select(each => each.Name!).ToArray();
        var seen = new Dictionary<string, int>();
        return [.. from setting in settings
                   from arguments in Arguments(method)
                   let told = setting.Select(each => (each.Member.Name, each.Value)).Concat(names.Zip(arguments))
                   select new Case(Unique(seen, string.Join(", ", told.Select(each => $"{each.Item1}={Shown(each.Item2)}"))), setting, arguments)];
    }

    static string Unique(Dictionary<string, int> seen, string name)
    {
        seen[name] = seen.GetValueOrDefault(name) + 1;
        return seen[name] == 1 ? name : $"{name} ({seen[name]})";
    }

    static string Shown(object? value) => value switch
    {
        null => "null",
        Array array => $"{value.GetType().GetElementType()!.Name}[{array.Length}]",
        IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
        _ => value.ToString() ?? "",
    };

    /// <summary>The values of a parameter; null for a member that is none.</summary>
    static object?[]? Values(MemberInfo member)
    {
        var type = member is PropertyInfo property ? property.PropertyType : ((FieldInfo)member).FieldType;
        if (Attribute(member, "Params") is { } listed) return [.. Listed(listed).Select(value => Fitted(value, type))];
        if (Attribute(member, "ParamsSource") is { } source) return [.. Source(member.ReflectedType!, source).Select(value => Fitted(value, type))];
        if (Attribute(member, "ParamsAllValues") is null) return null;
        return type == typeof(bool) ? [false, true] : [.. Enum.GetValues(type)];
    }

    /// <summary>The lists of arguments that a method is called with; none where it needs some and none are given.</summary>
    static object?[][] Arguments(MethodInfo method)
    {
        var parameters = method.GetParameters();
        var lists = Attributes(method, "Arguments").Select(Listed);
        if (Attribute(method, "ArgumentsSource") is { } source)
        {
            lists = lists.Concat(Source(method.ReflectedType!, source).Select(each => each as object?[] ?? [each]));
        }
        object?[][] found = [.. lists.Select(list => list.Zip(parameters, (value, about) => Fitted(value, about.ParameterType)).ToArray())];
        if (found.FirstOrDefault(list => list.Length != parameters.Length) is { } wrong)
        {
            throw new InvalidOperationException($"{Name(method)} takes {parameters.Length} arguments, and [Arguments] gives {wrong.Length}");
        }
        return parameters.Length == 0 ? [[]] : found;
    }

    /// <summary>The values in [Params(…)] or [Arguments(…)].</summary>
    static object?[] Listed(CustomAttributeData about) => about.ConstructorArguments switch
    {
        [{ Value: IReadOnlyCollection<CustomAttributeTypedArgument> values }] => [.. values.Select(Plain)],
        [{ Value: null }] => [null],
        _ => [],
    };

    static object? Plain(CustomAttributeTypedArgument given) => given.Value switch
    {
        IReadOnlyCollection<CustomAttributeTypedArgument> values => Many(given.ArgumentType.GetElementType()!, [.. values.Select(Plain)]),
        var value when given.ArgumentType.IsEnum => Enum.ToObject(given.ArgumentType, value!),
        var value => value,
    };

    static Array Many(Type type, object?[] values)
    {
        var array = Array.CreateInstance(type, values.Length);
        values.CopyTo(array, 0);
        return array;
    }

    /// <summary>What a method or property of the class gives, by the name in [ParamsSource] or [ArgumentsSource].</summary>
    static IEnumerable<object?> Source(Type type, CustomAttributeData about)
    {
        var name = (string)about.ConstructorArguments[^1].Value!;
        if (about.ConstructorArguments is [{ Value: Type other }, _]) type = other;
        var getter = type.GetMethod(name, Any, []) ?? type.GetProperty(name, Any)?.GetMethod
            ?? throw new InvalidOperationException($"{type.Name} has no method or property {name}");
        var instance = getter.IsStatic ? null : Activator.CreateInstance(type, nonPublic: true);
        return ((IEnumerable)getter.Invoke(instance, null)!).Cast<object?>();
    }

    /// <summary>A value as a member of that type may have it: 1 for a long is one.</summary>
    static object? Fitted(object? value, Type type)
    {
        type = Nullable.GetUnderlyingType(type) ?? type;
        return value is IConvertible && type.IsPrimitive && !type.IsInstanceOfType(value) ? Convert.ChangeType(value, type, CultureInfo.InvariantCulture) : value;
    }

    static CustomAttributeData? Attribute(MemberInfo member, string name) => Attributes(member, name).FirstOrDefault();

    static IEnumerable<CustomAttributeData> Attributes(MemberInfo member, string name) =>
        member.CustomAttributes.Where(each => each.AttributeType.FullName == $"BenchmarkDotNet.Attributes.{name}Attribute");

    static object? Named(CustomAttributeData? about, string name) =>
        about?.NamedArguments.Where(each => each.MemberName == name).Select(each => each.TypedValue.Value).FirstOrDefault();
}

/// <summary>What methods answer, as JSON.</summary>
static class Answers
{
    static readonly JsonSerializerOptions Whole = new()
    {
        IncludeFields = true,
        NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
        ReferenceHandler = ReferenceHandler.IgnoreCycles,
        TypeInfoResolver = new DefaultJsonTypeInfoResolver(),
    };

    /// <summary>For each case a line: what the first and the second call gave, or why that can't be compared.</summary>
    public static void Tell(Methods methods, string name, string[] cases)
    {
        foreach (var given in cases)
        {
            var subject = methods.Subject(name, given);
            var (first, why) = Told(subject);
            var (second, _) = Told(subject);
            Slices.Say(new { Case = given, First = first, Second = second, Opaque = why });
            Subject.Invoke(subject.Cleanup, subject.Instance);
        }
    }

    static (string Json, string Opaque) Told(Subject subject)
    {
        var value = Subject.Awaited(subject.Method.Invoke(subject.Instance, subject.Arguments));
        var type = subject.Method.ReturnType;
        if (type == typeof(void) || type == typeof(Task) || type == typeof(ValueTask)) return ("null", "it gives nothing back");
        if (value is null) return ("null", "");
        try
        {
            var json = JsonSerializer.Serialize(value, value.GetType(), Whole);
            return (json, json == "{}" && value is not IEnumerable ? $"a {value.GetType().Name} shows nothing of itself" : "");
        }
        catch (Exception error) when (error is NotSupportedException or JsonException or InvalidOperationException)
        {
            return ("null", error.Message.Split(". ")[0]);
        }
    }
}
