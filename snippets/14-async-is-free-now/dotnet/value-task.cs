using System.Runtime.CompilerServices;

public static class ByValueTask
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static async ValueTask<int> Down(int depth, Task<int>? later)
    {
        if (depth > 1) return 1 + await Down(depth - 1, later);
        return later is null ? 1000 : await later; // the only difference is the type that is returned
    }
}
