"""The routes to a Python with all that Benchbook imports: conda, pip, Debian packages."""
