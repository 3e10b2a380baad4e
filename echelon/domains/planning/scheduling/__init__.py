"""From a project in days and zones to the solver, and from its answer to a schedule."""
