"""Paths within a tree: nothing outside of it, nothing of git's own folder, no way out over a link."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from echelon.errors import ModelFault

LONGEST = 500


def inside(root: Path, path: str) -> Path:
    """The file that `path` means in the tree `root`. Raises ModelFault for a path that leads out, or into `.git`."""
    plain = PurePosixPath(path.replace("\\", "/"))
    if not path or "\0" in path or len(path) > LONGEST:
        raise ModelFault("Name a file relative to the repository, such as 'src/app.py'.")
    if plain.is_absolute() or ".." in plain.parts:
        raise ModelFault(f"'{path}' leads out of the repository; name a path relative to it, without '..'.")
    if any(part.lower() == ".git" for part in plain.parts):  # also deeper: git passes over a folder that has one
        raise ModelFault(f"'{path}' belongs to git; work on the files of the repository only.")
    target = root / plain
    if not target.resolve().is_relative_to(root.resolve()):
        raise ModelFault(f"'{path}' is a link that leads out of the repository.")
    return target


def read_text(root: Path, path: str, *, similar: list[str] | None = None) -> str:
    """The text of a file of the tree. Raises ModelFault when it is none, with the names that come nearest."""
    target = inside(root, path)
    if not target.is_file():
        raise ModelFault(f"There is no file '{path}'{_hint(path, similar or [])}")
    try:
        return target.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelFault(
            f"'{path}' is not UTF-8 text (byte {error.start}); it can only be moved or deleted."
        ) from error


def _hint(path: str, known: list[str]) -> str:
    import difflib

    asked = PurePosixPath(path)
    same_name = [each for each in known if PurePosixPath(each).name == asked.name]
    same_stem = [each for each in known if PurePosixPath(each).stem == asked.stem]
    near = same_name[:3] or same_stem[:3] or difflib.get_close_matches(path, known, n=3, cutoff=0.6)
    return f"; did you mean {' or '.join(repr(each) for each in near)}?" if near else "."
