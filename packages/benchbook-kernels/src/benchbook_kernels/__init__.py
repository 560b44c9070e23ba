"""Jupyter kernels for C# and Node.js, and for notebooks of .NET Interactive."""

__version__ = "0.1.0"
