"""The report in a real browser: drawn at the width of a desk and of a telephone, and nobody is asked for anything."""

from __future__ import annotations

import shutil
import struct
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from echelon.experiments.analysis.analyse import analyse
from echelon.experiments.report.page import Extras, page
from tests.experiments.making import experiment, planned, results

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@contextmanager
def served(text: str) -> Iterator[tuple[str, list[str]]]:
    """The page on a server of this machine, and the paths that were asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200 if self.path == "/report.html" else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(text.encode() if self.path == "/report.html" else b"")

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/report.html", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def report() -> str:
    definition = experiment(repeats=2, arms={"full": {}, "no_qa": {"model": "x"}, "single": {"crew": "single"}})
    trials = planned(definition, 12)
    done = results(trials, lambda t: {"success": t.arm != "no_qa" or t.repeat == 1})
    return page(analyse(definition, trials, done), trials, done, Extras())


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
@pytest.mark.parametrize("width", [1400, 390])
def test_the_report_is_drawn_and_asks_for_nothing(tmp_path: Path, width: int) -> None:
    picture = tmp_path / "report.png"
    with served(report()) as (address, asked):
        command = [
            str(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            f"--user-data-dir={tmp_path / 'profile'}", f"--window-size={width},2400", f"--screenshot={picture}", address,
        ]  # fmt: skip
        subprocess.run(command, capture_output=True, timeout=120, check=True)
        assert set(asked) == {"/report.html"}
    found = picture.read_bytes()
    assert struct.unpack(">II", found[16:24]) == (width, 2400)
    assert len(found) > 40_000, "an empty page is a few kilobytes"
