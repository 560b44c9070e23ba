"""A notebook of the reader's own question: programs in cells, compared without an experiment."""
