"""What proves a change: commands with their exit status, the tree they ran on, and their output."""
