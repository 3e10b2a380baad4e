"""Work on source code without a model: a map of it, places for a text, edits, fenced runs, review, repair by search."""
