"""Where the one rule for misspelt names was; setup/nearest.py has it, for the launcher, too."""

from benchbook.setup.nearest import did_you_mean, nearest

__all__ = ["did_you_mean", "nearest"]
