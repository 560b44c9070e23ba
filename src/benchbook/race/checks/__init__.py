"""How well this machine and these methods measure: plants, modes, and pilots."""
