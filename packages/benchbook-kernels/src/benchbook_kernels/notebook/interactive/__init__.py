"""What .NET Interactive's notebooks expect: its `#!` lines and its page."""
