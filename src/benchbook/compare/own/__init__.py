"""An experiment of one's own, before it is written."""
