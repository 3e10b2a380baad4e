"""What a planner and the person say to each other."""
