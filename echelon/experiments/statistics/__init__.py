"""What may be said of a difference between two arms. numpy and scipy; each docstring gives its formula and source."""
