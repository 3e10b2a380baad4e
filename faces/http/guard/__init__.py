"""Who may come in, with what, and how fast."""
