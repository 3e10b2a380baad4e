"""`experiences/<type>.jsonl` in the home: what failed in earlier jobs of a type and what worked then, for jobs like them.

One pattern a line, the newest last. Two jobs that end at the same moment may lose a pattern of one of them, never a line
of the file. What `.md` files of earlier versions say is told to nobody: it held words of requests.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import ValidationError

from echelon.crews.patterns import Lesson, Pattern, Profile, joined, profile_of, told
from echelon.crews.stage import Stage
from echelon.domains.requirements import document_files
from echelon.engine.workspace import Workspace
from echelon.errors import UnknownName
from echelon.files import write_atomically

MOST = 50
"""Patterns that a file holds."""
SHOWN = 5
"""Patterns that a job is told: the newest."""
DOCUMENTS, CHARACTERS = 5, 2_000
"""Inputs, and of each the first characters, that say what a job is about."""


def path_of(home: Path, job_type: str) -> Path:
    """Where the patterns of a type of job are kept."""
    return home / "experiences" / f"{job_type}.jsonl"


def read(path: Path) -> list[Pattern]:
    """Patterns, oldest first; none where there is no file. Lines of another form are left out."""
    if not path.is_file():
        return []
    found: list[Pattern] = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            found.append(Pattern.model_validate_json(line))
        except ValidationError:
            continue
    return found


def write(path: Path, patterns: Iterable[Pattern]) -> None:
    """Replace the file. Raises OSError."""
    write_atomically(path, "".join(f"{p.model_dump_json()}\n" for p in patterns))


def all_of(home: Path) -> dict[str, list[Pattern]]:
    """Type of job -> its patterns."""
    return {p.stem: read(p) for p in sorted((home / "experiences").glob("*.jsonl"))}


def remove(home: Path, id_: str) -> int:
    """Remove one pattern by its id, or `all`, also what earlier versions kept; returns how many. Raises UnknownName."""
    kept = all_of(home)
    known = [p.id for patterns in kept.values() for p in patterns]
    if id_ == "all":
        old = list((home / "experiences").glob("*.md"))
        for path in [*old, *(path_of(home, type_) for type_ in kept)]:
            path.unlink(missing_ok=True)
        return len(known) + len(old)
    if id_ not in known:
        raise UnknownName("experience", id_, known)
    for type_, patterns in kept.items():
        if any(p.id == id_ for p in patterns):
            write(path_of(home, type_), [p for p in patterns if p.id != id_])
    return 1


def recall(stage: Stage) -> None:
    """At the start of a job: what jobs like it learnt. A step, so that a resumed job remembers the same."""
    if stage.run.config.isolated:
        return
    path = path_of(stage.run.environment.home, stage.type.name)

    def look() -> tuple[str, ...]:
        patterns = read(path)
        return told(patterns, _profile(stage), SHOWN) if patterns else ()

    stage.state.experiences = stage.code("recall", tuple[str, ...], look)


def keep(stage: Stage) -> None:
    """At the end of a job: what failed in it, and what worked then, for the next one like it."""
    lessons = stage.state.lessons
    if not lessons or stage.run.config.isolated:
        return
    path = path_of(stage.run.environment.home, stage.type.name)

    def kept() -> int:
        patterns = joined(read(path), lessons, _profile(stage), MOST)
        write(path, patterns)
        return len(patterns)

    stage.code("keep_lessons", int, kept)


def learn(stage: Stage, lesson: Lesson) -> None:
    """Something failed."""
    stage.state.lessons = (*stage.state.lessons, lesson)[-MOST:]


def worked(stage: Stage, form: str) -> None:
    """A task was accepted: that is what worked after what failed before it."""
    stage.state.lessons = tuple(
        lesson if lesson.worked else lesson.model_copy(update={"worked": form}) for lesson in stage.state.lessons
    )


def _profile(stage: Stage) -> Profile:
    """What the job is about. A request that nobody wrote, as jobs of a type have it, says nothing."""
    config, request = stage.run.config, stage.state.request
    return profile_of("" if request.strip() == config.request.strip() else request, _beginnings(stage.workspace))


def _beginnings(workspace: Workspace) -> Sequence[str]:
    names = document_files.names(workspace)[:DOCUMENTS]
    return [
        " ".join(page.text for page in document_files.document(workspace, name).pages)[:CHARACTERS] for name in names
    ]
