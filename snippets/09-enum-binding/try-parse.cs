public static class ByTryParse
{
    public static bool Bind<T>(string text, out T value) where T : struct, Enum =>
        Enum.TryParse(text, out value); // any number that fits is taken, whether it has a name or not
}
