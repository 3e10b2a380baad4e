"""What is wrong with a change, found by code before anybody reads it."""
