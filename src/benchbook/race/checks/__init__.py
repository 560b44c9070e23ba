"""How well this machine and these methods measure: known effects, modes, and pilots."""
