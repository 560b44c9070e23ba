using System.Globalization;
using System.Runtime.CompilerServices;

public static class StrictBinder
{
    public static bool Bind<T>(string text, out T value) where T : struct, Enum
    {
        value = default;
        if (text.Length == 0) return false;
        if (!char.IsAsciiDigit(text[0]) && text[0] is not '-') return Table<T>.Names.TryGetValue(text, out value);
        if (!long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number)) return false;
        if (Table<T>.Numbers.TryGetValue(number, out value)) return true;
        if (!Table<T>.Flags || number == 0 || (number & ~Table<T>.AllBits) != 0) return false; // a bit without a name
        value = Unsafe.As<long, T>(ref number); // its low bytes
        return true;
    }

    static class Table<T> where T : struct, Enum
    {
        public static readonly Dictionary<string, T> Names = Enum.GetNames<T>().ToDictionary(name => name, Enum.Parse<T>);
        public static readonly Dictionary<long, T> Numbers = Enum.GetValues<T>().Distinct().ToDictionary(Number);
        public static readonly bool Flags = typeof(T).IsDefined(typeof(FlagsAttribute), inherit: false);
        public static readonly long AllBits = Numbers.Keys.Aggregate(0L, (bits, number) => bits | number);

        static long Number(T value) => Convert.ToInt64(value, CultureInfo.InvariantCulture);
    }
}
