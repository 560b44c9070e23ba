"""Functions, timed in slices that take turns, in processes of Node.js and .NET."""
