"""The workspace of a job: one folder, a git repository, and no way out of it."""

from __future__ import annotations

import hashlib
import subprocess
import unicodedata
from pathlib import Path

from echelon.engine.errors import ModelFault, UserError
from echelon.engine.files import write_atomically

MAX_FILE = 5_000_000
"""Bytes of one file that a role may write."""
MAX_PATH = 400
FOLDERS = ("archive", "notes", "documents", "output", "trace")
READ_ONLY = ("documents", "requirements", "trace", ".git", ".gitignore", "instructions.md", "plan.md", "todos.yaml")
"""Top-level names that only code writes to."""


class Workspace:
    """Files of one job. All paths are relative to `root`, with forward slashes."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def path(self, relative: str) -> Path:
        """The real path of `relative`. Raises ModelFault when it leads outside or is not a path at all."""
        text = unicodedata.normalize("NFC", relative).strip()
        if not text or "\0" in text or len(text.encode("utf-8", "surrogatepass")) > MAX_PATH:
            raise ModelFault(f"{relative[:60]!r} is not a path; give a short path such as 'notes/findings.md'.")
        if (
            text.startswith(("/", "\\", "~"))
            or Path(text).is_absolute()
            or any(p == ".." for p in text.replace("\\", "/").split("/"))
        ):
            raise ModelFault(
                f"'{text[:60]}' leads outside the workspace; give a path relative to it, such as 'notes/findings.md'."
            )
        try:
            real = (self.root / text).resolve()
            inside = real == self.root or self.root in real.parents
        except (OSError, RuntimeError, UnicodeError) as error:
            raise ModelFault(f"{text[:60]!r} is not a path that can be used.") from error
        if not inside:
            raise ModelFault(f"'{text[:60]}' is a link that leads outside the workspace; it cannot be used.")
        return real

    def writable(self, relative: str, only: tuple[str, ...] = ()) -> Path:
        """As `path`, for writing. Raises ModelFault for what is read-only, or outside the folders `only`."""
        real = self.path(relative)
        if real == self.root:
            raise ModelFault("That is the workspace itself; give the path of a file in it.")
        top = real.relative_to(self.root).parts[0]
        if top in READ_ONLY:
            raise ModelFault(f"'{top}' is read-only; write to 'notes/' or 'output/'.")
        if only and top not in only:
            raise ModelFault(f"This role may only write to {' and '.join(repr(f + '/') for f in only)}.")
        return real

    def relative(self, real: Path) -> str:
        return real.relative_to(self.root).as_posix()

    def files(self, folder: str = ".") -> list[str]:
        """Paths of all files below `folder`, sorted, without git's own, the trace, and temporary files."""
        start = self.root if folder in (".", "") else self.path(folder)
        found = (p for p in start.rglob("*") if p.is_file() and not p.is_symlink())
        names = sorted(self.relative(p) for p in found)
        return [
            n
            for n in names
            if not n.startswith((".git/", "trace/")) and not n.endswith(".partial") and n != ".gitignore"
        ]

    def read(self, relative: str) -> str:
        """Text of a file. Raises ModelFault when there is none, or when it is not text."""
        real = self.path(relative)
        if real.is_dir():
            raise ModelFault(f"'{relative}' is a folder; use list_files to see what is in it.")
        if not real.is_file():
            raise ModelFault(f"There is no file '{relative}'; use list_files to see what there is.")
        try:
            return real.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ModelFault(f"'{relative}' is not a text file.") from error

    def write(self, relative: str, text: str, only: tuple[str, ...] = ()) -> str:
        """Write a whole file and return its path in the workspace. Raises ModelFault when that is not allowed."""
        real = self.writable(relative, only)
        if real.is_dir():
            raise ModelFault(f"'{relative}' is a folder; give the path of a file.")
        content = text.encode("utf-8", "surrogatepass")
        if len(content) > MAX_FILE:
            raise ModelFault(f"That is {len(content):,} bytes; one file may have {MAX_FILE:,}. Write several files.")
        try:
            write_atomically(real, content)
        except (NotADirectoryError, FileExistsError, IsADirectoryError) as error:
            raise ModelFault(f"'{relative}' has a file where a folder is needed; choose another path.") from error
        return self.relative(real)

    def sha256(self, relative: str) -> str | None:
        """Content hash of a file, None when there is none."""
        try:
            real = self.path(relative)
        except ModelFault:
            return None
        return hashlib.sha256(real.read_bytes()).hexdigest() if real.is_file() else None

    # git

    def create(self) -> None:
        """Make the folders and the repository; an existing one stays as it is."""
        for folder in FOLDERS:
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        write_atomically(self.root / ".gitignore", "trace/\n*.partial\n*.sqlite*\n")
        if not (self.root / ".git").is_dir():
            self._git("init", "--quiet", "--initial-branch=main")

    def commit(self, message: str) -> str:
        """Commit everything; where nothing changed since, make an empty commit. Returns the commit's id.

        The same message again right after (a step that was cut off and runs again) returns the commit that is there.
        """
        (self.root / ".git" / "index.lock").unlink(missing_ok=True)  # left by a git that was killed
        self._git("add", "--all")
        clean = not self._git("status", "--porcelain")
        if clean and self._git("log", "-1", "--format=%B", check=False).strip() == message.strip():
            return self.head()
        self._git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.head()

    def head(self) -> str:
        return self._git("rev-parse", "HEAD")

    def reset(self, commit: str) -> None:
        """Go back to a commit. `notes/` and `archive/` stay: what was learnt is kept."""
        kept = {n: (self.root / n).read_bytes() for n in self.files() if n.startswith(("notes/", "archive/"))}
        (self.root / ".git" / "index.lock").unlink(missing_ok=True)
        self._git("reset", "--quiet", "--hard", commit)
        self._git("clean", "--quiet", "-fd")
        for name, content in kept.items():
            write_atomically(self.root / name, content)

    def _git(self, *arguments: str, check: bool = True) -> str:
        identity = (
            "-c",
            "user.name=Echelon",
            "-c",
            "user.email=echelon@localhost",
            "-c",
            "commit.gpgsign=false",
            "-c",
            "gc.auto=0",
        )
        safe = ("-c", "core.hooksPath=", "-c", "core.autocrlf=false")
        try:
            done = subprocess.run(
                ["git", "-C", str(self.root), *identity, *safe, *arguments], capture_output=True, text=True, check=False
            )
        except FileNotFoundError as error:
            raise UserError(
                "Echelon keeps each job in a git repository and needs git; install it and try again."
            ) from error
        if check and done.returncode != 0:
            raise OSError(f"git {arguments[0]} failed: {done.stderr.strip()}")
        return done.stdout.strip()
