"""The planner job: a goal or a list of tasks in, a plan that can be kept out."""
