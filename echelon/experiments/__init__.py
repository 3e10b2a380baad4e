"""Experiments: what is compared, how it is scored, what may be said of it. Running the jobs is not part of this."""
