"""What is in a source tree: its files, symbols, imports and references, and an outline of it."""
