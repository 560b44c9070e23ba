"""Does a verdict hold where it should? The decisive pair is raced again under small changes."""
