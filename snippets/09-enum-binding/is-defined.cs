public static class ByIsDefined
{
    public static bool Bind<T>(string text, out T value) where T : struct, Enum =>
        Enum.TryParse(text, out value) && Enum.IsDefined(value); // knows nothing of flags: 7 has no name
}
