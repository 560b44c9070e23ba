"""The notebook kernels: IPython with a language session (Node.js, later C#) behind plain cells."""
