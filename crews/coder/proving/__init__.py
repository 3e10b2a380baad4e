"""What proves a change: runs of the tests, what the request asks for, and each milestone its own."""
