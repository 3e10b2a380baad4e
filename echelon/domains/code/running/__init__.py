"""Commands behind a fence, and what tests said."""
