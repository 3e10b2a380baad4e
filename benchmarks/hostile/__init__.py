"""A model server that misbehaves in every way we could think of, and what becomes of jobs that meet it."""
