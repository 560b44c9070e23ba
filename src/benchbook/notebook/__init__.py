"""Kernels, language sessions, magics and exercises."""
