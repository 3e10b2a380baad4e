"""Import neo4j in a process that does nothing else, without the libraries of numbers that it looks for.

Where pandas, pyarrow and numpy are installed (crewai brings the first two along), neo4j imports them to take and give
their values: four fifths of the time and more than half of the memory of a child that answers one query in plain JSON.
A process with code of others in it imports neo4j itself.
"""

from __future__ import annotations

import importlib
import sys

NUMBERS = ("numpy", "pandas", "pyarrow")

_absent = [name for name in NUMBERS if name not in sys.modules]
sys.modules.update(dict.fromkeys(_absent))  # type: ignore[arg-type]  # importing what is None here is an ImportError
try:
    importlib.import_module("neo4j")
finally:
    for _name in _absent:
        del sys.modules[_name]
