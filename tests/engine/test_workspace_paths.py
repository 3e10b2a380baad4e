"""Path safety: whatever a role gives as a path, nothing outside the workspace is read or written."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import example, given, settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from echelon.engine.workspace import FOLDERS, MAX_FILE, MAX_NAME, MAX_PATH, READ_ONLY, Workspace
from echelon.errors import ModelFault

SECRET = "what nobody inside may see"

WRONG = (
    " ", "\t\n", "\0", "a\0b", "a\nb", "a\x1bb", "x" * (MAX_NAME + 1), "ü" * MAX_NAME, "/".join(["abc"] * 200),
    "notes/\ud800.md", "..", "../x", "notes/../../x", "notes/..", "a/../..", "/etc/passwd", "//etc/passwd",
    "\\\\server\\share", "..\\x", "notes\\..\\..\\x", "~", "~/x", "~root/.ssh/id", "./../x", "notes/./../../x", "/",
    "notes/../../outside/secret.txt", " ../x ", "..\u2044x/../y",
)  # fmt: skip
ODD = (
    "a", "notes/findings.md", "./notes/a.md", "notes//a.md", "notes/Prüfung & Söhne's plan.md",
    "output/ein Name mit Leerzeichen.md", "notes/...", "notes/..a", "notes/a..", "notes/a\\b", "C:\\temp\\x",
    "notes/x~", "%2e%2e/x", "..%2fx", "notes/\u202etxt.md", "notes/\u2167/\uff0e\uff0e/x", "output/" + "x" * 240,
    "日本語/ファイル.txt", "notes/😀.md", "-rf", "notes/*", "$HOME/x", "`id`",
)  # fmt: skip


@pytest.fixture
def around(tmp_path: Path) -> Path:
    """A folder with a workspace `job` and, beside it, `outside` with a secret."""
    return build(tmp_path)


def build(folder: Path) -> Path:
    (folder / "outside").mkdir()
    (folder / "outside" / "secret.txt").write_text(SECRET)
    root = folder / "job"
    for name in FOLDERS:
        (root / name).mkdir(parents=True)
    (root / "notes" / "own.md").write_text("ours")
    (root / "documents" / "a.pdf.txt").write_text("a document")
    links = {
        "notes/out": folder / "outside",
        "notes/secret": folder / "outside" / "secret.txt",
        "notes/up": Path(".."),
        "notes/upup": Path("../.."),
        "notes/new": folder / "outside" / "new.txt",
        "notes/loop": Path("loop"),
        "notes/docs": Path("../documents"),
        "output/hop": Path("../notes/out"),
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    return folder


def outside_of(folder: Path) -> dict[str, str]:
    """Everything beside the workspace, with its content."""
    return {
        str(p.relative_to(folder)): p.read_text() if p.is_file() else "folder"
        for p in sorted(folder.rglob("*"))
        if "job" not in p.relative_to(folder).parts[:1]
    }


def attempts(w: Workspace, path: str) -> list[Callable[[], object]]:
    return [
        lambda: w.path(path),
        lambda: w.read(path),
        lambda: w.files(path),
        lambda: w.writable(path),
        lambda: w.write(path, "mine"),
        lambda: w.write(path, "mine", ("notes",)),
        lambda: w.sha256(path),
    ]


def try_all(w: Workspace, path: str) -> list[object]:
    """What came of every use of a path; being told no is the only error that may happen."""
    out: list[object] = []
    for attempt in attempts(w, path):
        try:
            out.append(attempt())
        except ModelFault as fault:
            text = str(fault)
            text.encode("utf-8")  # it is stored and sent
            assert len(text) < 400 + MAX_PATH
            out.append(None)
    return out


@pytest.mark.parametrize("path", WRONG, ids=ascii)
def test_what_is_no_path_inside_is_refused(around: Path, path: str) -> None:
    w = Workspace(around / "job")
    before = outside_of(around)
    assert all(result is None for result in try_all(w, path))
    assert outside_of(around) == before


def test_no_path_at_all_lists_the_workspace_and_does_nothing_else(around: Path) -> None:
    w = Workspace(around / "job")
    assert [result for result in try_all(w, "") if result is not None] == [w.files()]


@pytest.mark.parametrize("path", ODD, ids=ascii)
def test_an_odd_name_stays_inside(around: Path, path: str) -> None:
    w = Workspace(around / "job")
    before = outside_of(around)
    written = w.write(path, "mine")
    assert w.read(written) == w.read(path) == "mine"
    assert written in w.files()
    assert w.sha256(path) == hashlib.sha256(b"mine").hexdigest()
    assert outside_of(around) == before


@pytest.mark.parametrize(
    "path",
    ["notes/out/secret.txt", "notes/secret", "notes/upup/outside/secret.txt", "output/hop/secret.txt", "notes/out"],
)
def test_links_that_lead_out_are_refused(around: Path, path: str) -> None:
    w = Workspace(around / "job")
    before = outside_of(around)
    assert all(result is None for result in try_all(w, path))
    assert outside_of(around) == before


def test_links_to_what_is_not_there_yet_are_refused(around: Path) -> None:
    w = Workspace(around / "job")
    with pytest.raises(ModelFault, match="leads outside"):
        w.write("notes/new", "mine")
    assert not (around / "outside" / "new.txt").exists()


def test_a_link_in_a_circle_is_refused(around: Path) -> None:
    w = Workspace(around / "job")
    for attempt in attempts(w, "notes/loop")[:2]:
        with pytest.raises(ModelFault):
            attempt()


def test_a_link_inside_does_not_open_what_is_read_only(around: Path) -> None:
    w = Workspace(around / "job")
    assert w.read("notes/docs/a.pdf.txt") == "a document"
    with pytest.raises(ModelFault, match="read-only"):
        w.write("notes/docs/a.pdf.txt", "changed")
    with pytest.raises(ModelFault, match="read-only"):
        w.write("notes/up/plan.md", "changed")


def test_listing_does_not_follow_links(around: Path) -> None:
    files = Workspace(around / "job").files()
    assert files == ["documents/a.pdf.txt", "notes/own.md"]


# Parts of paths, put together at random: what an attacker and what a clumsy model would write.
PARTS = (
    "..", ".", "", "notes", "output", "documents", "out", "up", "upup", "secret", "hop", "loop", "outside",
    "secret.txt", "~", "...", "\u2024\u2024", "\uff0e\uff0e", "%2e%2e", "..\\", "\\..", "C:", "\0", "\ud800",
    "con", " .. ",
)  # fmt: skip
parts = st.one_of(st.sampled_from(PARTS), st.text(max_size=12), st.integers(200, 300).map(lambda n: "x" * n))
paths = st.one_of(
    st.builds(
        "".join, st.tuples(st.sampled_from(["", "/", "\\", "./", "//"]), st.lists(parts, max_size=6).map("/".join))
    ),
    st.lists(parts, max_size=4).map("\\".join),
    st.text(max_size=40),
)


@given(paths)
@settings(max_examples=300, deadline=None)
@example("notes/upup/outside/secret.txt")
@example("output/hop/../../outside/secret.txt")
def test_no_path_reads_or_writes_outside(path: str) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = build(Path(temporary))
        before = outside_of(folder)
        w = Workspace(folder / "job")
        for result in try_all(w, path):
            assert SECRET not in str(result)
            if isinstance(result, Path):
                assert result == w.root or w.root in result.parents
        assert outside_of(folder) == before
        assert {p.name for p in folder.iterdir()} == {"job", "outside"}


class Paths(RuleBasedStateMachine):
    """Many uses of one workspace, one after another; what an earlier one wrote helps no later one out."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = build(Path(tempfile.mkdtemp()))
        self.before = outside_of(self.folder)
        self.w = Workspace(self.folder / "job")

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    @rule(path=paths)
    def use(self, path: str) -> None:
        try_all(self.w, path)

    @rule(path=paths, text=st.text(max_size=50))
    def write(self, path: str, text: str) -> None:
        try:
            written = self.w.write(path, text)
        except ModelFault:
            return
        assert self.w.read(written).encode() == text.encode("utf-8", "replace")

    @invariant()
    def nothing_outside_has_changed(self) -> None:
        assert outside_of(self.folder) == self.before

    @invariant()
    def what_is_read_only_has_not_changed(self) -> None:
        assert [p.name for p in (self.folder / "job" / "documents").iterdir()] == ["a.pdf.txt"]
        assert (self.folder / "job" / "documents" / "a.pdf.txt").read_text() == "a document"


TestPaths = Paths.TestCase
TestPaths.settings = settings(max_examples=30, stateful_step_count=20, deadline=None)


@pytest.mark.parametrize("name", [*READ_ONLY, "Documents", "PLAN.md"])
def test_what_only_code_writes_is_read_only(around: Path, name: str) -> None:
    with pytest.raises(ModelFault, match="read-only"):
        Workspace(around / "job").write(name if "." in name else f"{name}/x.md", "mine")


@pytest.mark.parametrize(
    "path",
    [
        ".git/config",
        ".gitignore",
        ".GIT/hooks/pre-commit",
        "output/.git/config",
        "notes/.gitattributes",
        "a/.gitmodules",
    ],
)
def test_files_that_steer_git_cannot_be_written(around: Path, path: str) -> None:
    """A repository inside the repository would hide files from the commit, and its settings can name programs."""
    with pytest.raises(ModelFault, match="belongs to git"):
        Workspace(around / "job").write(path, "[core]")


def test_a_role_writes_only_where_it_may(around: Path) -> None:
    w = Workspace(around / "job")
    assert w.write("notes/a.md", "x", ("notes",)) == "notes/a.md"
    for path in ("output/a.md", "a.md", "notesx/a.md", "notes"):
        with pytest.raises(ModelFault):
            w.write(path, "x", ("notes",))
    with pytest.raises(ModelFault, match=r"'notes/' and 'output/'"):
        w.write("a.md", "x", ("notes", "output"))


@pytest.mark.parametrize("path", ["./ .. /0", "./ a.md", "./~/x"])
def test_a_file_is_written_under_a_name_by_which_it_is_found(around: Path, path: str) -> None:
    """Blanks around a path are not part of it, so a file whose name begins with one could not be read again."""
    w = Workspace(around / "job")
    before = w.files()
    with pytest.raises(ModelFault, match="found again"):
        w.write(path, "x")
    assert w.files() == before


@pytest.mark.parametrize("path", [".", "./", "notes", "notes/"])
def test_a_folder_is_no_file(around: Path, path: str) -> None:
    w = Workspace(around / "job")
    with pytest.raises(ModelFault):
        w.read(path)
    with pytest.raises(ModelFault):
        w.write(path, "x")


def test_a_file_is_no_folder(around: Path) -> None:
    w = Workspace(around / "job")
    with pytest.raises(ModelFault, match="a file where a folder is needed"):
        w.write("notes/own.md/deeper.md", "x")
    with pytest.raises(ModelFault, match="There is no file"):
        w.read("notes/own.md/deeper.md")


def test_a_file_that_is_no_text_is_not_read_as_one(around: Path) -> None:
    (around / "job" / "notes" / "a.bin").write_bytes(b"\xff\x00")
    with pytest.raises(ModelFault, match="not a text file"):
        Workspace(around / "job").read("notes/a.bin")


def test_the_size_of_a_file_is_bounded_in_bytes(around: Path) -> None:
    w = Workspace(around / "job")
    w.write("notes/a.md", "x" * MAX_FILE)
    with pytest.raises(ModelFault, match="one file may have"):
        w.write("notes/b.md", "ü" * (MAX_FILE // 2 + 1))
    assert "notes/b.md" not in w.files()


def test_half_a_surrogate_pair_does_not_spoil_a_file(around: Path) -> None:
    w = Workspace(around / "job")
    w.write("notes/a.md", "before \ud800 after")
    assert w.read("notes/a.md") == "before ? after"


def test_composed_and_decomposed_names_are_one_file(around: Path) -> None:
    w = Workspace(around / "job")
    w.write("notes/Pru\u0308fung.md", "x")
    assert w.read("notes/Pr\u00fcfung.md") == "x"
    assert w.files("notes") == ["notes/Pr\u00fcfung.md", "notes/own.md"]


def test_a_file_that_is_not_there_is_looked_for_in_other_folders(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    (tmp_path / "repository").mkdir()
    (tmp_path / "repository" / "app.py").write_text("x = 1\n")
    with pytest.raises(ModelFault, match=r"There is no file 'app\.py'; did you mean 'repository/app\.py'\?"):
        workspace.read("app.py")
    with pytest.raises(ModelFault, match="use list_files to see what there is"):
        workspace.read("other.py")
