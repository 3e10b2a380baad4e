"""Planning again once work has begun."""
