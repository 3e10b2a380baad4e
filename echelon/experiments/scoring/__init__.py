"""Scoring a finished trial: what counts as success is the word of code that no role can see or write."""
