"""A real browser, and a page on a server of this machine for it to draw."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest


def _of_playwright() -> str | None:
    """The Chromium that `playwright install chromium` has put down, the latest."""
    named = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    folder = Path(named) if named else Path.home() / ".cache" / "ms-playwright"
    found = list(folder.glob("chromium-*/chrome-*/chrome"))
    return str(max(found, key=lambda p: p.stat().st_mtime)) if found else None


CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome") or _of_playwright()
)
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


def picture_of(text: str, folder: Path, width: int, height: int) -> tuple[bytes, set[str]]:
    """A page as the browser draws it, as PNG, and the paths that it asked its server for."""
    picture = folder / "page.png"
    with served(text) as (address, asked):
        command = [
            str(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            f"--user-data-dir={folder / 'profile'}", f"--window-size={width},{height}", f"--screenshot={picture}", address,
        ]  # fmt: skip
        subprocess.run(command, capture_output=True, timeout=120, check=True)
    return picture.read_bytes(), set(asked)


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
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/report.html", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
