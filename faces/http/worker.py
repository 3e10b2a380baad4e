"""A worker that a server started: `python -m echelon.faces.http.worker PID CONCURRENCY`."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import NoReturn

from echelon.faces.cli.main import to_its_end

BEAT = 0.5


def main(parent: int, concurrency: int) -> NoReturn:
    """Work until told to end or until the process `parent` is gone; then others may go on at once with what ran here."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(BEAT)
        os.kill(os.getpid(), signal.SIGTERM)

    def command() -> int:
        from echelon.service.service import Service
        from echelon.service.worker import Worker

        threading.Thread(target=watch, name="parent", daemon=True).start()
        return 0 if Worker(Service(), concurrency).run() else 1

    to_its_end(command)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
