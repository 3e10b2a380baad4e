"""The commands of plans."""
