"""This machine and its processes: what it is, what runs on it, where files lie."""
