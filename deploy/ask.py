"""A few questions to a server, for `try.sh`: health, submit FILE, steps JOB N, completed JOB, result JOB."""

from __future__ import annotations

import json
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

PATIENCE = 300.0
"""Seconds that a job is waited for"""


def ask(url: str, token: str, path: str, body: bytes | None = None, kind: str = "application/json") -> bytes:
    """What the server answers. Raises urllib.error.HTTPError."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": kind}
    with urllib.request.urlopen(urllib.request.Request(url + path, body, headers), timeout=30) as answer:
        content: bytes = answer.read()
    return content


def submit(url: str, token: str, file: Path) -> str:
    """Order a creator job on a file; returns its id."""
    mark = "part-of-a-form"
    head = f'--{mark}\r\nContent-Disposition: form-data; name="files"; filename="{file.name}"\r\n\r\n'
    form = head.encode() + file.read_bytes() + f"\r\n--{mark}--\r\n".encode()
    sent = json.loads(ask(url, token, "/uploads", form, f"multipart/form-data; boundary={mark}"))
    order = {"type": "creator", "uploads": [sent["uploads"][0]["id"]]}
    return str(json.loads(ask(url, token, "/jobs", json.dumps(order).encode()))["job"])


def wait(url: str, token: str, path: str, is_so: Any) -> None:
    """Until `is_so` of what stands at `path`."""
    end = time.monotonic() + PATIENCE
    while not is_so(json.loads(ask(url, token, path))):
        if time.monotonic() > end:
            sys.exit(f"{path} is not so after {PATIENCE:g} s")
        time.sleep(0.3)


def main(url: str, token: str, what: str, *rest: str) -> None:
    """Ask one thing, and print what is to be known."""
    match what:
        case "health":
            print(ask(url, token, "/health").decode())
        case "submit":
            print(submit(url, token, Path(rest[0])))
        case "steps":
            wait(url, token, f"/jobs/{rest[0]}/steps", lambda steps: len(steps["steps"]) >= int(rest[1]))
        case "completed":
            wait(url, token, f"/jobs/{rest[0]}", lambda job: job["state"] == "completed")
        case "result":
            sys.stdout.buffer.write(ask(url, token, f"/jobs/{rest[0]}/files/output/requirements.json"))
        case _:
            sys.exit(f"'{what}' is nothing that can be asked")


if __name__ == "__main__":
    main(*sys.argv[1:])
