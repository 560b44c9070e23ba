"""How each kind of experiment is measured: the folder of its name, which registry.py finds."""
