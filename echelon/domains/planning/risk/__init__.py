"""How sure an end is."""
