"""Full text search over the files of a workspace."""

from __future__ import annotations

import os
import sqlite3
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echelon.domains.search.files import CHUNK_CHARACTERS, MAX_BYTES, Kind, chunks, read_text_file, walk
from echelon.domains.search.index import FILE_NAME, WorkspaceIndex, fts_expression
from tests.search.conftest import FILES


def paths_found(index: WorkspaceIndex, query: str, under: str = "") -> list[str]:
    return [hit.path for hit in index.search(query, under=under)]


def test_prose_is_found_by_stems_and_code_by_parts(workspace: Path) -> None:
    with WorkspaceIndex(workspace) as index:
        assert sorted(index.sync().indexed) == sorted(FILES)
        assert paths_found(index, "copy building")[0] == "notes/backup.md"
        assert paths_found(index, "dog") == ["notes/pets.md"]
        assert paths_found(index, "nvoiceTot") == ["src/invoice_parser.py"]
        assert paths_found(index, "parse_inv") == ["src/invoice_parser.py"]
        assert paths_found(index, "submarine") == []


def test_a_hit_says_where_and_what(workspace: Path) -> None:
    with WorkspaceIndex(workspace) as index:
        index.sync()
        hit = index.search("stairs")[0]
        lines = (workspace / hit.path).read_text().split("\n")
        assert hit.text == "\n".join(lines[hit.first_line - 1 : hit.last_line])
        assert "stairs" in hit.text


def test_quotes_hold_words_together(workspace: Path) -> None:
    with WorkspaceIndex(workspace) as index:
        index.sync()
        assert paths_found(index, '"leave the building"') == ["notes/fire.md"]
        assert paths_found(index, '"building the leave"') == []


def test_a_folder_narrows_the_search(workspace: Path) -> None:
    with WorkspaceIndex(workspace) as index:
        index.sync()
        assert paths_found(index, "people", under="documents") == ["documents/policy.txt"]
        assert paths_found(index, "people", under="notes/fire.md") == ["notes/fire.md"]
        assert paths_found(index, "people", under="note") == []


def test_only_what_changed_is_indexed_again(workspace: Path) -> None:
    with WorkspaceIndex(workspace) as index:
        index.sync()
        assert index.sync().model_dump() == {"indexed": (), "removed": ()}
        (workspace / "notes/pets.md").write_text("Birds are welcome.\n")
        os.utime(workspace / "notes/fire.md")
        assert index.sync().indexed == ("notes/pets.md",)
        assert paths_found(index, "dogs") == [] and paths_found(index, "bird") == ["notes/pets.md"]
        assert index.update(["notes/pets.md"]).indexed == ()


def test_deleted_files_leave_the_index(workspace: Path) -> None:
    with WorkspaceIndex(workspace) as index:
        index.sync()
        (workspace / "notes/pets.md").unlink()
        assert index.cleanup() == ("notes/pets.md",)
        assert index.cleanup() == ()
        assert paths_found(index, "dogs") == []
        (workspace / "notes/fire.md").unlink()
        assert index.sync().removed == ("notes/fire.md",)


def test_statistics(workspace: Path) -> None:
    with WorkspaceIndex(workspace) as index:
        assert index.statistics().files == 0
        index.sync()
        found = index.statistics()
        assert (found.files, found.chunks, found.by_kind) == (5, 5, {"code": 1, "prose": 4})
        assert found.characters == sum(len(text) for text in FILES.values()) and found.with_vector == 0


def test_what_is_no_text_of_the_workspace_is_left_out(workspace: Path, tmp_path: Path) -> None:
    (workspace / "binary.bin").write_bytes(b"\xff\xfe\x00secret")
    (workspace / "nul.txt").write_bytes(b"secret\x00secret")
    (workspace / "large.txt").write_text("secret " * (MAX_BYTES // 7 + 1))
    (workspace / ".git").mkdir()
    (workspace / ".git" / "config").write_text("secret")
    (tmp_path / "outside.txt").write_text("secret")
    (workspace / "link.txt").symlink_to(tmp_path / "outside.txt")
    (workspace / "folder").symlink_to(tmp_path, target_is_directory=True)
    with WorkspaceIndex(workspace) as index:
        index.sync()
        index.update(["../outside.txt", str(tmp_path / "outside.txt"), "folder/outside.txt", "link.txt", "", "a\0b"])
        assert index.search("secret") == []
        assert index.statistics().files == 5


def test_the_index_does_not_index_itself(workspace: Path) -> None:
    with WorkspaceIndex(workspace) as index:
        index.sync()
        assert not any(path.startswith(FILE_NAME) for path in index.sync().indexed)
        assert (workspace / FILE_NAME).is_file()


def test_it_stays_after_closing(workspace: Path) -> None:
    with WorkspaceIndex(workspace) as index:
        index.sync()
    with WorkspaceIndex(workspace) as index:
        assert paths_found(index, "dogs") == ["notes/pets.md"]


def test_a_failed_update_leaves_the_file_as_it_was(workspace: Path) -> None:
    with WorkspaceIndex(workspace) as index:
        index.sync()
        other = sqlite3.connect(workspace / FILE_NAME)
        other.execute("CREATE TRIGGER stop BEFORE INSERT ON chunks BEGIN SELECT raise(ABORT, 'disk is full'); END")
        other.commit()
        other.close()
        (workspace / "notes/pets.md").write_text("Birds are welcome.\n")
        with pytest.raises(sqlite3.IntegrityError):
            index.update(["notes/pets.md"])
        assert paths_found(index, "dogs") == ["notes/pets.md"]


def test_two_writers_at_once(workspace: Path) -> None:
    def write(name: str) -> None:
        with WorkspaceIndex(workspace) as index:
            for number in range(20):
                (workspace / f"{name}{number}.md").write_text(f"{name} number {number}")
                index.update([f"{name}{number}.md"])

    with WorkspaceIndex(workspace) as index:
        threads = [threading.Thread(target=write, args=(name,)) for name in ("alpha", "beta")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert index.statistics().files == 40


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(query=st.text(max_size=40))
def test_any_query_is_text(workspace: Path, query: str) -> None:
    with WorkspaceIndex(workspace) as index:
        index.update(["notes/pets.md", "src/invoice_parser.py"])
        assert isinstance(index.search(query), list)


@pytest.mark.parametrize(
    "query", ["AND", "dogs AND", "NEAR(dogs cats)", "text: dogs", "dogs*", '"dogs', "^dogs", "-dogs"]
)
def test_signs_of_the_query_language_mean_nothing(workspace: Path, query: str) -> None:
    with WorkspaceIndex(workspace) as index:
        index.sync()
        assert index.search(query) is not None


def test_expressions() -> None:
    assert fts_expression('audit "two words" a') == '"audit" OR "two words" OR "a"'
    assert fts_expression("ab abc", shortest=3) == '"abc"'
    assert fts_expression(" ,; ") == ""
    assert fts_expression("same same") == '"same"'


LINES = st.lists(st.text(alphabet="ab #\t", max_size=90), max_size=80)


@given(LINES)
def test_pieces_hold_all_lines_in_order(lines: list[str]) -> None:
    text = "\n".join(lines)
    pieces = chunks(text)
    numbers = [number for piece in pieces for number in range(piece.first_line, piece.last_line + 1)]
    assert numbers == sorted(set(numbers))
    assert all(piece.text == "\n".join(lines[piece.first_line - 1 : piece.last_line]) for piece in pieces)
    left_out = set(range(1, len(lines) + 1)) - set(numbers)
    assert not any(lines[number - 1].strip() for number in left_out)


def test_pieces_end_at_gaps() -> None:
    paragraph = "word " * 60
    text = "\n\n".join([paragraph] * 12)
    pieces = chunks(text)
    assert len(pieces) > 1
    assert all(CHUNK_CHARACTERS <= len(piece.text) <= 2 * CHUNK_CHARACTERS for piece in pieces[:-1])
    assert chunks("") == [] and chunks("\n \n") == []


def test_files_are_walked_in_order(workspace: Path) -> None:
    assert list(walk(workspace)) == sorted(walk(workspace), key=lambda path: path.split("/"))
    file = read_text_file(workspace, "src/invoice_parser.py")
    assert file is not None and file.kind is Kind.CODE
    assert read_text_file(workspace, "missing.txt") is None


CHANGES = st.lists(
    st.tuples(st.sampled_from(["a.md", "b.md", "c/d.py"]), st.sampled_from(["alpha", "beta", "gamma", None])),
    max_size=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(changes=CHANGES, step=st.integers(1, 4))
def test_the_index_agrees_with_the_files_after_any_changes(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[str, str | None]], step: int
) -> None:
    root = tmp_path_factory.mktemp("ws")
    (root / "c").mkdir()
    with WorkspaceIndex(root) as index:
        for number, (path, word) in enumerate(changes, start=1):
            if word is None:
                (root / path).unlink(missing_ok=True)
            else:
                (root / path).write_text(f"the word {word} here")
            if number % step == 0:
                index.update([path])
        index.sync()
        for word in ("alpha", "beta", "gamma"):
            holding = [path for path in walk(root) if not path.startswith(".") and word in (root / path).read_text()]
            assert sorted(paths_found(index, word)) == sorted(holding)
