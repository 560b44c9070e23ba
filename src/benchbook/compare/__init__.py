"""Your own question: two or more things compared, without an experiment's folder."""
