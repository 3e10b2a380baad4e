"""What of the documents is asked for, as types that code enforces, and reading it from a plain request by rule."""
