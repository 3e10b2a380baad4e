"""What pytest-xdist starts for a worker: makes it a fork, hands it its streams, and ends as it ends.

Its last argument is the program by which a worker begins.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.support.forked import Forked

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the worker is told by pytest
    with Forked(sys.argv[-1], stdin=0, stdout=1, stderr=2) as worker:
        code = worker.wait()
    sys.exit(code)
