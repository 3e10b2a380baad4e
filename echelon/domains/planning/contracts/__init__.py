"""Shapes of planning: what goes in, what comes out."""
