"""A worker that ends with the process that started it: `python -m echelon.service.experiments.helper PID`."""

from __future__ import annotations

import os
import sys
import threading
import time

BEAT = 0.5


def main(parent: int) -> int:
    """Work until the process `parent` is gone; then finish the job at hand."""
    from echelon.service.service import Service
    from echelon.service.worker import Worker

    stop = threading.Event()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(BEAT)
        stop.set()

    threading.Thread(target=watch, name="parent", daemon=True).start()
    return 0 if Worker(Service(), stop=stop).run() else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
