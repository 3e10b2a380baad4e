"""A worker that ends with the process that started it: `python -m echelon.service.experiments.helper PID`."""

from __future__ import annotations

import os
import sys
import threading
import time

BEAT = 0.5


def main(parent: int) -> int:
    """Work until the process `parent` is gone; then finish the job at hand, before the interpreter begins to end: it
    would take what a job runs on away."""
    from echelon.engine import durable
    from echelon.service.service import Service
    from echelon.service.worker import Worker

    stop = threading.Event()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(BEAT)
        stop.set()

    threading.Thread(target=watch, name="parent", daemon=True).start()
    if not Worker(Service(), stop=stop).run():
        os._exit(1)  # its jobs are somebody else's now
    durable.shut_down(finish=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
