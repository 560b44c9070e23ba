"""From ratios to verdicts, and what stands against them."""
