// The two enums of the article: values with gaps, and flags.

public enum Size { One = 1, Ten = 10, Hundred = 100 }

[Flags]
public enum Rights { Read = 1, Write = 2, Delete = 4, Share = 8 }
