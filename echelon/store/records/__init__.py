"""The shapes in which jobs are stored, a module a shape; each has a version, and a golden file in `tests/golden/`."""
