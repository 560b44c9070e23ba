"""How each kind of experiment is measured, a folder for each; registry.py is the list of them."""
