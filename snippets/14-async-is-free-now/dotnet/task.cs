using System.Runtime.CompilerServices;

public static class ByTask
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static async Task<int> Down(int depth, Task<int>? later)
    {
        if (depth > 1) return 1 + await Down(depth - 1, later);
        return later is null ? 1000 : await later; // the result is there, or it will come
    }
}
