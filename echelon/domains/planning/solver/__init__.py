"""The solver: a problem in whole numbers goes in, an answer comes out. It knows nothing of days and zones."""
