// Checks of the serializers in snippets/07-serializers/serializers, run by test_07_serializers.py:
// dotnet run -c Release -- golden FILE | fuzz SEED ROUNDS | round-trip

using Checks;

var report = new Report();
switch (args)
{
    case ["golden", var path]:
        Golden.Run(path, report);
        break;
    case ["fuzz", var seed, var rounds]:
        Fuzz.Run(int.Parse(seed), int.Parse(rounds), report);
        break;
    case ["round-trip"]:
        RoundTrip.Run(report);
        break;
    default:
        Console.Error.WriteLine("golden FILE | fuzz SEED ROUNDS | round-trip");
        return 2;
}

return report.End();

namespace Checks
{
    /// <summary>Counts what is right, and prints what is wrong.</summary>
    sealed class Report
    {
        int right, wrong;

        public void Right(string what)
        {
            right++;
            Console.WriteLine($"right: {what}");
        }

        public void Wrong(string what)
        {
            wrong++;
            if (wrong <= 20) Console.WriteLine($"wrong: {what}");
        }

        public void Check(string what, bool holds)
        {
            if (holds) Right(what);
            else Wrong(what);
        }

        public void Equal(string what, string? expected, string? found)
        {
            if (expected == found) Right(what);
            else Wrong($"{what}\n  expected {Short(expected)}\n  found    {Short(found)}");
        }

        public int End()
        {
            Console.WriteLine($"{right} right, {wrong} wrong");
            return wrong > 0 ? 1 : 0;
        }

        static string Short(string? text) => text is null ? "null" : text.Length > 300 ? text[..300] + " …" : text;
    }
}
