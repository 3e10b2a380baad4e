"""The workspace of a job: one folder, a git repository, and no way out of it."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import subprocess
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from echelon.errors import ModelFault, UserError
from echelon.files import files_below, write_atomically

MAX_FILE = 5_000_000
"""Bytes of one file that a role may write."""
MAX_PATH, MAX_NAME = 400, 255
"""Bytes of a path, and of one name in it."""
FOLDERS = ("archive", "notes", "documents", "output", "trace")
NEAR = 3
"""Files of the same name that a failed reading names."""
READ_ONLY = (
    "documents", "requirements", "code", "repository", "plan", "trace", "instructions.md", "plan.md", "todos.yaml",
)  # fmt: skip
"""Top-level names that only code writes to. Nor does a role write git's own files, in any folder."""

ANEW = Path(".git") / "began-anew"
"""Names the first commit of a history that was lost and began anew."""
GIT_SETTINGS = (
    "user.name=Echelon", "user.email=echelon@localhost", "commit.gpgsign=false", "gc.auto=0", "maintenance.auto=false",
    "core.hooksPath=", "core.autocrlf=false",
)  # fmt: skip
OBJECT = re.compile(rb"[0-9a-f]{40,64} (?P<type>[a-z]+) (?P<size>[0-9]+)\n")
"""What git says before an object: its id, type and bytes. A name that is missing stands there with its colon."""


class Workspace:
    """Files of one job. All paths are relative to `root`, with forward slashes."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def path(self, relative: str) -> Path:
        """The real path of `relative`. Raises ModelFault when it leads outside or is not a path at all."""
        text, root = _as_path(relative), str(self.root)
        try:
            real = Path(os.path.realpath(f"{root}{os.sep}{text}"))
            if is_inside := str(real) == root or str(real).startswith(root + os.sep):
                with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                    real.stat()  # raises for what is left of a circle of links
        except OSError as error:
            raise ModelFault(f"{text[:60]!r} is not a path that can be used.") from error
        if not is_inside:
            raise ModelFault(f"'{text[:60]}' is a link that leads outside the workspace; it cannot be used.")
        return real

    def writable(self, relative: str, only: tuple[str, ...] = ()) -> Path:
        """As `path`, for writing. Raises ModelFault for what is read-only, or outside the folders `only`."""
        real = self.path(relative)
        if real == self.root:
            raise ModelFault("That is the workspace itself; give the path of a file in it.")
        parts = real.relative_to(self.root).parts
        if any(part.casefold().startswith(".git") for part in parts):
            raise ModelFault(f"'{relative[:60]}' belongs to git; write to 'notes/' or 'output/'.")
        top = parts[0]
        if top.casefold() in READ_ONLY:  # also where upper and lower case are the same file
            raise ModelFault(f"'{top}' is read-only; write to 'notes/' or 'output/'.")
        if not self._is_found_by(self.relative(real), real):
            raise ModelFault(
                f"'{relative[:60]}' would not be found again under that name; leave out blanks at its ends."
            )
        if only and top not in only:
            raise ModelFault(f"This role may only write to {' and '.join(repr(f + '/') for f in only)}.")
        return real

    def _is_found_by(self, name: str, real: Path) -> bool:
        try:
            return self.path(name) == real
        except ModelFault:
            return False

    def relative(self, real: Path) -> str:
        return real.relative_to(self.root).as_posix()

    def files(self, folder: str = ".") -> list[str]:
        """Paths of all files below `folder`, sorted, without git's own, the trace, and temporary files."""
        start = self.root if folder in (".", "") else self.path(folder)
        below = "" if start == self.root else f"{self.relative(start)}/"
        found = (below + path for path, _ in files_below(str(start), () if below else (".git", "trace")))
        return sorted(
            p
            for p in found
            if not p.startswith((".git/", "trace/")) and not p.endswith(".partial") and p != ".gitignore"
        )

    def read(self, relative: str) -> str:
        """Text of a file. Raises ModelFault when there is none, or when it is not text."""
        real = self.path(relative)
        if real.is_dir():
            raise ModelFault(f"'{relative}' is a folder; use list_files to see what is in it.")
        if not real.is_file():
            raise ModelFault(f"There is no file '{relative}'; {self._near(relative)}")
        try:
            return real.read_bytes().decode("utf-8")  # line ends as they are: what is written is what is read
        except UnicodeDecodeError as error:
            beside = f"; its text is in '{relative}.txt'" if real.with_name(f"{real.name}.txt").is_file() else ""
            raise ModelFault(f"'{relative}' is not a text file{beside}.") from error

    def _near(self, relative: str) -> str:
        """What to do about a file that is not there: the files of its name in other folders, or looking around."""
        name = relative.rpartition("/")[2]
        same = [path for path in self.files() if path.rpartition("/")[2] == name][:NEAR]
        return (
            f"did you mean {' or '.join(map(repr, same))}?" if name and same else "use list_files to see what there is."
        )

    def write(self, relative: str, text: str, only: tuple[str, ...] = ()) -> str:
        """Write a whole file and return its path in the workspace. Raises ModelFault when that is not allowed."""
        real = self.writable(relative, only)
        if real.is_dir():
            raise ModelFault(f"'{relative}' is a folder; give the path of a file.")
        content = text.encode("utf-8", "replace")  # half a surrogate pair is no text
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
        self._git("init", "--quiet", "--initial-branch=main")  # again: mends one that was cut off, else changes nothing

    def commit(self, message: str) -> str:
        """Commit everything; where nothing changed since, make an empty commit. Returns the commit's id.

        The same message again right after (a step that was cut off and runs again) returns the commit that is there.
        """
        message = " ".join(message.replace("\0", " ").encode("utf-8", "replace").decode().split())
        self._unlock()
        self._git("add", "--all")
        wish = ("commit", "--quiet", "--message", message)
        if self._run_git(*wish).returncode == 0:
            return self.head()
        clean = not self._git("status", "--porcelain")
        if not clean or self._git("log", "-1", "--format=%B", check=False) != message:
            self._git(*wish, "--allow-empty")  # it says what failed, if not for want of changes
        return self.head()

    def changed_since(self, commit: str) -> list[str]:
        """Paths of files that were made or changed since a commit, committed or not; all files where there is none.

        White space alone is no change. A commit that is not there any more (the history was lost and began anew) counts
        as none.
        """
        counted = ("--numstat", "--no-renames", "--ignore-all-space", "--ignore-blank-lines")
        compare = ("-c", "core.quotePath=false", "diff", *counted, commit)
        done = self._run_git(*compare) if commit else None
        if done is None or (done.returncode != 0 and not self._has(commit)):
            return self.files()
        lines = (_text(done.stdout) if done.returncode == 0 else self._git(*compare)).splitlines()
        changed = [line.split("\t", 2)[2] for line in lines]
        new = self._git("-c", "core.quotePath=false", "ls-files", "--others", "--exclude-standard").splitlines()
        return sorted(p for p in {*changed, *new} if (self.root / p).is_file())

    def _has(self, commit: str) -> bool:
        try:
            self._git("cat-file", "-e", f"{commit}^{{commit}}")
        except OSError:
            return False
        return True

    def head(self) -> str:
        """The id of the last commit."""
        with contextlib.suppress(OSError):  # `create` makes one branch, and nothing here packs it
            is_ours = (self.root / ".git" / "HEAD").read_bytes() == b"ref: refs/heads/main\n"
            found = (self.root / ".git" / "refs" / "heads" / "main").read_text(encoding="ascii").strip()
            if is_ours and found:
                return found
        return self._git("rev-parse", "HEAD")

    def reset(self, commit: str) -> None:
        """Go back to a commit. `notes/` and `archive/` are not touched: what was learnt is kept.

        Each command leaves the next one's work to be done again, so that a reset that was cut off can run once more.
        """
        kept = (":(exclude)notes", ":(exclude)archive")
        self._unlock()
        commit = self._known(commit)
        if self.head() != commit:
            self._git("reset", "--quiet", "--soft", commit)
        self._git("restore", "--quiet", "--source", commit, "--staged", "--worktree", "--", ".", *kept)
        self._git("clean", "--quiet", "-ffd", "--", ".", *kept)

    def committed(self, relative: str) -> bytes | None:
        """The content of a file in the last commit, None where it has none."""
        return self._git_bytes("cat-file", "blob", f"HEAD:{relative}")

    def texts_at(self, commit: str, paths: Iterable[str]) -> dict[str, str]:
        """The texts of files in a commit by their paths; '' for one that was not there or is no text."""
        texts = dict.fromkeys(paths, "")
        asked = [p for p in texts if "\n" not in p]  # each line asks for one
        if commit and asked:
            commit = self._known(commit)
            lines = "".join(f"{commit}:{path}\n" for path in asked).encode("utf-8", "surrogateescape")
            found = _objects(self._git_bytes("cat-file", "--batch", given=lines) or b"")
            texts |= {p: content.decode("utf-8", "ignore") for p, content in zip(asked, found, strict=False)}
        return texts

    def tracked(self) -> list[str]:
        """Paths of the files in the last commit."""
        return [
            p for p in (self._git_bytes("ls-tree", "-r", "-z", "--name-only", "HEAD") or b"").decode().split("\0") if p
        ]

    def has_history(self) -> bool:
        """Whether there is a repository with a commit that can be read."""
        return self._git_bytes("rev-parse", "--verify", "--quiet", "HEAD^{tree}") is not None

    def begin_anew(self) -> None:
        """Make the repository again where it was lost, with everything that is there as its first commit.

        Commits of the lost one are gone: `reset` to any of them goes back to this first one.
        """
        import shutil

        shutil.rmtree(self.root / ".git", ignore_errors=True)
        self.create()
        write_atomically(self.root / ANEW, self.commit("Begin the lost history anew"))

    def _known(self, commit: str) -> str:
        """`commit`, or the first one of a history that began anew without it."""
        anew = self.root / ANEW
        if anew.is_file() and self._git_bytes("cat-file", "-e", f"{commit}^{{commit}}") is None:
            return anew.read_text(encoding="utf-8")
        return commit

    def _git_bytes(self, *arguments: str, given: bytes | None = None) -> bytes | None:
        """What git prints, None when it fails or there is no folder. `given` is what it reads."""
        if not self.root.is_dir():
            return None
        done = self._run_git(*arguments, given=given)
        return done.stdout if done.returncode == 0 else None

    def _unlock(self) -> None:
        """Take away what a git that was killed leaves behind: nobody else works in this repository."""
        folder = self.root / ".git"
        for lock in (*folder.glob("*.lock"), *folder.glob("refs/heads/*.lock")):
            lock.unlink(missing_ok=True)

    def _git(self, *arguments: str, check: bool = True) -> str:
        """What git prints, as text. Raises OSError when it fails, unless that is no matter (`check`)."""
        done = self._run_git(*arguments)
        if check and done.returncode != 0:
            raise OSError(f"git {arguments[0]} failed: {done.stderr.decode('utf-8', 'replace').strip()}")
        return _text(done.stdout)

    def _run_git(self, *arguments: str, given: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
        """Run git on this repository alone, whatever the user's settings, variables and folders above say."""
        own = {
            "GIT_DIR": str(self.root / ".git"), "GIT_WORK_TREE": str(self.root), "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C",
        }  # fmt: skip
        around = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        settings = [part for setting in GIT_SETTINGS for part in ("-c", setting)]
        try:
            return subprocess.run(
                ["git", *settings, *arguments], cwd=self.root, env=around | own, input=given, capture_output=True,
                check=False,
            )  # fmt: skip
        except FileNotFoundError as error:
            raise UserError(
                "Echelon keeps each job in a git repository and needs git; install it and try again."
            ) from error


def _objects(printed: bytes) -> Iterator[bytes]:
    """The contents of the files that `cat-file --batch` prints, in their order; b'' for what is none, or is missing."""
    stream = io.BytesIO(printed)
    while line := stream.readline():
        head = OBJECT.fullmatch(line)
        content = stream.read(int(head["size"]) + 1)[:-1] if head else b""
        yield content if head and head["type"] == b"blob" else b""


def _text(printed: bytes) -> str:
    return printed.decode("utf-8", "replace").strip()


def _as_path(relative: str) -> str:
    """`relative` as text that is a path in some folder. Raises ModelFault with what to give instead."""
    text = unicodedata.normalize("NFC", relative).strip()
    if not _is_name(text):
        raise ModelFault(f"{relative[:60]!r} is not a path; give a short path such as 'notes/findings.md'.")
    parts = text.replace("\\", "/").split("/")
    if text.startswith(("/", "\\", "~")) or Path(text).is_absolute() or ".." in parts:
        raise ModelFault(
            f"{text[:60]!r} leads outside the workspace; give a path relative to it, such as 'notes/findings.md'."
        )
    return text


def _is_name(text: str) -> bool:
    try:
        sizes = [len(part.encode("utf-8")) for part in text.split("/")]
    except UnicodeEncodeError:  # half a surrogate pair
        return False
    printable = not any(unicodedata.category(c) == "Cc" for c in text)
    return bool(text) and printable and sum(sizes) + len(sizes) - 1 <= MAX_PATH and max(sizes) <= MAX_NAME
