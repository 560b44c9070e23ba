"""Functions of the reader's own files: found in them, called to see what they answer, and timed."""
