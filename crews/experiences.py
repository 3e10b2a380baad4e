"""`experiences/<type>.md` in the home: what earlier jobs of a type learnt from their failures, for later ones.

One line a lesson, the newest last: `- <fingerprint> <lesson>`. The same lesson again, whatever its numbers, is the same
line; beyond `MOST` the oldest go. Two jobs that end at the same moment may lose a lesson of one of them, never a line of
the file. Lessons are words of models about documents: prompts carry them as data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from echelon.crews.stage import Stage
from echelon.files import write_atomically
from echelon.shown import visible
from echelon.tasks.contracts import Escalation

MOST = 20
"""Lessons that a file holds."""
SHOWN = 5
"""Lessons that a job is given: the newest."""
LENGTH = 200
_DIGITS = re.compile(r"\d+")
_LINE = re.compile(r"^- (?P<fingerprint>[0-9a-f]{16}) (?P<lesson>.+)$")


def path_of(home: Path, job_type: str) -> Path:
    """Where the lessons of a type of job are kept."""
    return home / "experiences" / f"{job_type}.md"


def read(path: Path) -> dict[str, str]:
    """Fingerprint -> lesson, oldest first; empty where there is no file. Lines of another form are left out."""
    if not path.is_file():
        return {}
    lines = map(_LINE.match, path.read_text(encoding="utf-8", errors="replace").splitlines())
    return {m["fingerprint"]: m["lesson"] for m in lines if m}


def joined(old: dict[str, str], lessons: Iterable[str]) -> dict[str, str]:
    """Old lessons with new ones at the end, without repetitions, the newest `MOST`."""
    all_ = dict(old)
    for lesson in lessons:
        words = visible(" ".join(lesson.split()))[:LENGTH].strip()
        if words:
            fingerprint = Escalation.fingerprint_of("any", "lesson", _DIGITS.sub("0", words))
            all_.pop(fingerprint, None)
            all_[fingerprint] = words
    return dict(list(all_.items())[-MOST:])


def write(path: Path, lessons: dict[str, str]) -> None:
    """Replace the file. Raises OSError."""
    write_atomically(path, "".join(f"- {fingerprint} {lesson}\n" for fingerprint, lesson in lessons.items()))


def recall(stage: Stage) -> None:
    """At the start of a job: what earlier ones learnt. A step, so that a resumed job remembers the same."""
    if stage.run.config.isolated:
        return
    path = path_of(stage.run.environment.home, stage.type.name)
    stage.state.experiences = stage.code("recall", tuple[str, ...], lambda: tuple(read(path).values())[-SHOWN:])


def keep(stage: Stage) -> None:
    """At the end of a job: what failed in it and was handed up or given back, for the next one."""
    lessons = list(stage.state.ruled_out.values())
    if not lessons or stage.run.config.isolated:
        return
    path = path_of(stage.run.environment.home, stage.type.name)

    def kept() -> int:
        all_ = joined(read(path), lessons)
        write(path, all_)
        return len(all_)

    stage.code("keep_lessons", int, kept)
