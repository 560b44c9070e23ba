"""A claim's statements over versions, shown."""
