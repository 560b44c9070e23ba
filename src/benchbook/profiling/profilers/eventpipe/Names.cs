// The names of methods as their authors wrote them: compilers make others of lambdas, local functions and async.

using System.Text.RegularExpressions;

namespace Benchbook.Profiling;

static partial class Names
{
    public static string Readable(string type, string method)
    {
        if (type is "dynamicClass") return $"[compiled at run time] {method}";
        type = Arity().Replace(Arguments(type), "");
        var nested = type.Split('+');
        var outer = nested.TakeWhile(each => !each.StartsWith('<')).ToArray();
        var machine = nested.Select(each => OfMachine().Match(each)).LastOrDefault(each => each.Success);
        if (method is "MoveNext" && machine is not null) method = machine.Groups[1].Value;
        var own = Method(method);
        var container = string.Join(".", outer);
        return container.Length > 0 ? $"{container}.{own}" : own;
    }

    /// <summary>"&lt;Main&gt;b__0" is a lambda in Main, "&lt;Main&gt;g__Slow|0_1" the function Slow in it, "&lt;Main&gt;$" a program's lines.</summary>
    static string Method(string name)
    {
        name = name.Replace("<<Main>$>", "<Main>", StringComparison.Ordinal).Replace("<Main>$", "Main", StringComparison.Ordinal);
        if (Local().Match(name) is { Success: true } local) return $"{Method(local.Groups[1].Value)}.{local.Groups[2].Value}";
        if (Lambda().Match(name) is { Success: true } lambda) return $"{Method(lambda.Groups[1].Value)} (lambda)";
        if (name is ".ctor") return "new";
        return Arguments(name);
    }

    /// <summary>Without what a generic type or method is given, "List`1[System.Int32]".</summary>
    static string Arguments(string name)
    {
        var open = name.IndexOf('[');
        return open > 0 ? name[..open] : name;
    }

    [GeneratedRegex("`\\d+")]
    private static partial Regex Arity();

    [GeneratedRegex("^<(.+)>d(?:__\\d+)?$")]
    private static partial Regex OfMachine();

    [GeneratedRegex(@"^<(.+)>g__(\w+)\|")]
    private static partial Regex Local();

    [GeneratedRegex(@"^<(.+)>b__")]
    private static partial Regex Lambda();
}
