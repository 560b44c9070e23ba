"""Static pictures of figures, drawn from their plotly JSON without a browser."""
