// Where a reader's file has no entry point of its own: a program needs one, although nobody calls it.

internal static class BenchbookEntry
{
    private static void Main() { }
}
