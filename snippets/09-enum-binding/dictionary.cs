public static class ByDictionary
{
    public static bool Bind<T>(string text, out T value) where T : struct, Enum =>
        Table<T>.Known.TryGetValue(text, out value); // all that may come, looked up as it is written

    static class Table<T> where T : struct, Enum
    {
        public static readonly Dictionary<string, T> Known = Enum.GetValues<T>()
            .SelectMany(value => new[] { (Text: value.ToString(), value), (Text: value.ToString("D"), value) })
            .ToDictionary(pair => pair.Text, pair => pair.value);
    }
}
