"""Interactive sessions: one file a language, with the language's host beside it."""
