"""BenchmarkDotNet, for the classes of a `%%benchmark` cell."""
