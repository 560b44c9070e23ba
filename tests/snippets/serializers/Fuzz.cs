// Whatever bytes come, a reader by hand gives forecasts or a MalformedDataException, and takes little memory.

using Serializers;

namespace Checks;

static class Fuzz
{
    const int BytesForOne = 200; // a forecast, its text and its place in the array, from three bytes or more

    public static void Run(int seed, int rounds, Report report)
    {
        var random = new Random(seed);
        WeatherForecast?[] forecasts = [.. Forecasts.Make<WeatherForecast>(4), null, .. Forecasts.Make<WeatherForecast>(3, japanese: true)];
        forecasts[1]!.Summary = null;
        forecasts[2]!.Date = DateTime.MinValue;
        foreach (var format in Format.All.Where(format => format.ByHand))
        {
            var whole = format.Write(forecasts);
            var (read, refused) = (0, 0);
            void Try(string what, byte[] data)
            {
                var outcome = Attempt(format, data);
                if (outcome == "read") read++;
                else if (outcome == "refused") refused++;
                else report.Wrong($"{format.Name}: {what}: {outcome}: {Convert.ToHexStringLower(data)}");
            }

            for (var length = 0; length < whole.Length; length++)
            {
                Try($"cut off at {length}", whole[..length]);
                if (Attempt(format, whole[..length]) != "refused") report.Wrong($"{format.Name}: cut off at {length}, and read");
            }

            if (Attempt(format, [.. whole, 0]) != "refused") report.Wrong($"{format.Name}: a byte too much, and read");
            for (var at = 0; at < whole.Length; at++)
            {
                for (var value = 0; value < 256; value++)
                {
                    var data = (byte[])whole.Clone();
                    data[at] = (byte)value;
                    Try($"byte {at} is {value}", data);
                }
            }

            for (var round = 0; round < rounds; round++)
            {
                Try("several bytes differ", Changed(whole, random));
                Try("random bytes", Noise(random));
            }

            report.Right($"{format.Name}: seed {seed}: {read} read, {refused} refused");
            if (read == 0 || refused == 0) report.Wrong($"{format.Name}: nothing was {(read == 0 ? "read" : "refused")}");
        }

        Lengths(report);
    }

    /// <summary>Lengths that can't be: negative, or much more than there is.</summary>
    static void Lengths(Report report)
    {
        (string Format, string Hex, string Problem)[] cases =
        [
            ("messagepack-by-hand", "", "cut off (at byte 0)"),
            ("messagepack-by-hand", "ddffffffff", "the array is longer than the data (at byte 5)"),
            ("messagepack-by-hand", "dcffff90", "the array is longer than the data"),
            ("messagepack-by-hand", "9193d6ff695735a519dbffffffff", "cut off"),
            ("messagepack-by-hand", "9193d6ff695735a5cf00000001000000 00c0", "the integer is too large"),
            ("messagepack-by-hand", "9193d7ffffffffff695735a519c0", "more than a second of nanoseconds"),
            ("messagepack-by-hand", "9193c70cff000000007fffffffffffffff19c0", "not in the years 1 to 9999"),
            ("messagepack-by-hand", "9193c70cff00000000800000000000000019c0", "not in the years 1 to 9999"),
            ("messagepack-by-hand", "9192d6ff695735a519", "three values"),
            ("messagepack-by-hand", "9193d6ff695735a519a2c328", "text is not UTF-8"),
            ("messagepack-by-hand", "9183a444617465d6ff695735a5a444617465d6ff695735a5a444617465d6ff695735a5", "three values"),
            ("messagepack-by-hand", "90c0", "more after the end (at byte 1)"),
            ("memorypack-by-hand", "", "cut off (at byte 0)"),
            ("memorypack-by-hand", "feffffff", "the length of an array is negative"),
            ("memorypack-by-hand", "00000080", "the length of an array is negative"),
            ("memorypack-by-hand", "ffffff7f", "the array is longer than the data"),
            ("memorypack-by-hand", "0100000004", "three values"),
            ("memorypack-by-hand", "0100000003ff3f37f47528ca7f00000000ffffffff", "not in the years 1 to 9999"),
            ("memorypack-by-hand", "01000000038000b796ab49de4819000000ffffff7f", "cut off"),
            ("memorypack-by-hand", "01000000038000b796ab49de48190000000000008000000000", "cut off"),
            ("memorypack-by-hand", "01000000038000b796ab49de4819000000fdffffff02000000c328", "text is not UTF-8"),
            ("memorypack-by-hand", "01000000038000b796ab49de4819000000fdffffff090000006161", "another length"),
            ("memorypack-by-hand", "0000000000", "more after the end (at byte 4)"),
        ];
        foreach (var (name, hex, problem) in cases)
        {
            try
            {
                Format.All.Single(format => format.Name == name).Read(Convert.FromHexString(hex.Replace(" ", "")));
                report.Wrong($"{name}: {hex}: was read");
            }
            catch (MalformedDataException error)
            {
                report.Check($"{name}: {hex}: {error.Message}", error.Message.Contains(problem));
            }
        }
    }

    static string Attempt(Format format, byte[] data)
    {
        var before = GC.GetAllocatedBytesForCurrentThread();
        try
        {
            var read = format.Read(data);
            var allocated = GC.GetAllocatedBytesForCurrentThread() - before;
            if (allocated > 1_000 + data.Length * BytesForOne) return $"took {allocated} bytes of memory";
            var again = format.Read(format.Write(read));
            return Forecasts.Digest(read) == Forecasts.Digest(again) ? "read" : "gave what can't be written and read again";
        }
        catch (MalformedDataException)
        {
            var allocated = GC.GetAllocatedBytesForCurrentThread() - before;
            return allocated > 20_000 + data.Length * BytesForOne ? $"took {allocated} bytes of memory" : "refused";
        }
        catch (Exception error)
        {
            return $"{error.GetType().Name}: {error.Message}";
        }
    }

    static byte[] Changed(byte[] whole, Random random)
    {
        var data = (byte[])whole.Clone();
        for (var i = random.Next(1, 6); i > 0; i--) data[random.Next(data.Length)] = (byte)random.Next(256);
        return data[..random.Next(data.Length / 2, data.Length + 1)];
    }

    static byte[] Noise(Random random)
    {
        var data = new byte[random.Next(0, 80)];
        random.NextBytes(data);
        return data;
    }
}
