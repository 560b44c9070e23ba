"""Is that still so? A claim's statements, asked of several versions of what its programs run on."""
