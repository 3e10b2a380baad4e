"""Repair by search: where a fault probably is, small changes of the syntax tree there, each proven by the tests."""
