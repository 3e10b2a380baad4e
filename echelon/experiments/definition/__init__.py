"""The file of an experiment: what it may say, how it is read, and what is refused before anything runs."""
