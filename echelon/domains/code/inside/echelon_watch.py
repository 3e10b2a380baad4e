"""Says which files of the tree a test run opens: sources that read tests, results that are touched, data that tests read.

Standard library only. An audit hook cannot be taken away, and what it says goes out at once, so it cannot be taken back.
Variables: ECHELON_WATCH_ROOT (the tree; without it nothing is watched), ECHELON_WATCH_RESULTS (where results go).
"""

from __future__ import annotations

import json
import os
import sys
from types import FrameType

MARK = "echelon-noted "
ROOT = os.path.realpath(os.environ.get("ECHELON_WATCH_ROOT", "")) + os.sep
RESULTS = os.path.realpath(os.environ.get("ECHELON_WATCH_RESULTS", "")) + os.sep
_EVENTS = frozenset({"open", "os.rename", "os.truncate", "os.remove", "os.link", "os.symlink"})
_TEST_FOLDERS = frozenset({"test", "tests", "testing", "__tests__"})
_READING = ("linecache.py", "tokenize.py", "traceback.py")
"""Parts of Python that read a source in order to show its lines."""


def is_test(path: str) -> bool:
    """Whether a path of the tree is one of a test, by its name or its folder."""
    *folders, name = path.split("/")
    named = name.startswith("test_") or name.endswith(("_test.py", "_tests.py")) or name == "conftest.py"
    return named or not _TEST_FOLDERS.isdisjoint(folders)


class Watch:
    """The hook. What was said once is not said again."""

    def __init__(self, out: int) -> None:
        self.out = out
        self.said: set[str] = set()

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if event not in _EVENTS:
            return
        for each in arguments[: 1 if event == "open" else 2]:
            named = getattr(each, "__fspath__", lambda each=each: each)()
            if isinstance(named, str | bytes):
                self.opened(os.path.join(os.getcwd(), os.fsdecode(named)))  # a relative path counts from here

    def opened(self, path: str) -> None:
        real = os.path.normpath(path)
        if real.startswith(RESULTS):
            if by := owner(all_frames=True):
                self.say({"by": by, "opened": "the results of the run"})
        elif real.startswith(ROOT):
            inside = real[len(ROOT) :]
            by = owner()
            if not by or "__pycache__" in inside or by == inside:
                return
            if not is_test(by) and is_test(inside) and inside.endswith(".py"):
                self.say({"by": by, "opened": inside})
            elif is_test(by) and not inside.endswith((".py", ".pyc")):
                self.say({"by": by, "read": inside})

    def say(self, what: dict[str, str]) -> None:
        line = MARK + json.dumps(what)
        if line not in self.said:
            self.said.add(line)
            os.write(self.out, f"\n{line}\n".encode())


def owner(*, all_frames: bool = False) -> str:
    """The file of the tree that asked, nearest first; '' when none did, or a part of Python that shows lines."""
    frame: FrameType | None = sys._getframe(3)  # pyright: ignore[reportPrivateUsage] (inspect would open the sources)
    while frame is not None:
        file = frame.f_code.co_filename
        if file.endswith(_READING) and not all_frames:
            return ""
        if file.startswith(ROOT) and "site-packages" not in file:
            return file[len(ROOT) :]
        frame = frame.f_back
    return ""


def install() -> None:
    """Watch from now on."""
    if len(ROOT) > 1 and os.environ.get("ECHELON_WATCH_ROOT"):
        sys.addaudithook(Watch(os.dup(1)))
