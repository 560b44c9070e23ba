"""Slides: a notebook as a talk, made from its own cells and from recorded races."""
