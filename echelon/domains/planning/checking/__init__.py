"""Looking at a finished schedule, without the code that made it."""
