using System.Runtime.CompilerServices;

public static class BySync
{
    [MethodImpl(MethodImplOptions.NoInlining)] // a call stays a call
    public static int Down(int depth) => depth > 1 ? 1 + Down(depth - 1) : 1000;
}
