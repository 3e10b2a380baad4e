"""Which files and functions a text is about, ranked without a language model."""
