"""Tables, figures, pages and files to share, made from runs."""
