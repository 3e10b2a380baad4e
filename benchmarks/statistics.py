"""`python benchmarks/statistics.py [--short]`: do the tests of an experiment keep their level? See false_alarms.py.

Python looks for modules in the folder of a script first, so whichever benchmark beside this file imports `statistics` means
the standard library's and would get this one. It is given what it means.
"""

from __future__ import annotations

import importlib.util
import sys
import sysconfig
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    from benchmarks.false_alarms import main

    sys.exit(main())

_spec = importlib.util.spec_from_file_location(__name__, Path(sysconfig.get_path("stdlib")) / "statistics.py")
assert _spec is not None and _spec.loader is not None
sys.modules[__name__] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(sys.modules[__name__])
