"""Running experiments: trials as jobs in the queue, graded when they have ended."""
