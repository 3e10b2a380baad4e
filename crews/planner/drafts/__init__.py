"""The drafts of a plan: patterns, nodes, and what a role is told that writes them."""
