"""Atomic writes: whoever reads sees the old content or the new one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.digest import digest
from echelon.files import files_below, remove_halves, unique_names, write_atomically

BIG = 40_000_000
REPOSITORY = Path(__file__).parents[2]


def test_text_is_written_as_utf8_and_bytes_as_they_are(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a.txt", "Prüfung\r\n\u2028")
    assert (tmp_path / "a.txt").read_bytes() == "Prüfung\r\n\u2028".encode()
    write_atomically(tmp_path / "a.txt", b"\x00\xff")
    assert (tmp_path / "a.txt").read_bytes() == b"\x00\xff"


def test_missing_folders_are_made(tmp_path: Path) -> None:
    write_atomically(tmp_path / "x" / "y" / "a.txt", "here")
    assert (tmp_path / "x" / "y" / "a.txt").read_text() == "here"


def test_nothing_else_stays_in_the_folder(tmp_path: Path) -> None:
    for n in range(3):
        write_atomically(tmp_path / "a.txt", str(n))
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("name", ["x" * 255, "ü" * 127, "😀" * 63])
def test_the_longest_names_that_a_folder_can_hold(tmp_path: Path, name: str) -> None:
    write_atomically(tmp_path / name, "here")
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_a_write_that_fails_leaves_the_old_content_and_no_rest(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    write_atomically(target, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(target, "new \ud800")
    assert target.read_text() == "old"
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError):
        write_atomically(tmp_path / "folder", "not a file")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.txt", "folder"]


def test_a_process_killed_while_it_writes_leaves_the_old_content_or_the_new(tmp_path: Path) -> None:
    """Several kills at different moments of a write of 40 MB."""
    target = tmp_path / "a.txt"
    code = (
        "import sys; from pathlib import Path; from echelon.files import write_atomically\n"
        f"new = b'n' * {BIG}; print('ready', flush=True)\n"
        "while True: write_atomically(Path(sys.argv[1]), new)"
    )
    for n in range(4):
        write_atomically(target, b"o" * BIG)
        writer = subprocess.Popen([sys.executable, "-c", code, str(target)], stdout=subprocess.PIPE, cwd=REPOSITORY)
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(0.004 * (n + 1) ** 2)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        content = target.read_bytes()
        assert content in (b"o" * BIG, b"n" * BIG)


def test_halves_of_killed_processes_are_removed_and_no_others(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    of_the_dead = (f".a.md.{gone.pid}.1.partial", f"output/.two words\n.{gone.pid}.7.partial")
    others = (
        f"output/.a.md.{os.getpid()}.1.partial", f"trace/.job.json.{gone.pid}.1.partial",
        f"a.{gone.pid}.1.partial", "output/.a.md.partial", f"deep/trace/.a.{gone.pid}.partial", "output/a.md",
    )  # fmt: skip
    for name in (*of_the_dead, *others):
        write_atomically(tmp_path / name, "half")
    remove_halves(tmp_path, leaving=("trace",))
    assert sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()) == sorted(others)
    remove_halves(tmp_path / "nothing")


def test_two_threads_do_not_mix_their_contents(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    contents = [letter * 300_000 for letter in ("a", "b", "c", "d")]
    seen: set[str] = set()

    def write(content: str) -> None:
        for _ in range(20):
            write_atomically(target, content)

    threads = [threading.Thread(target=write, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        if target.exists():
            seen.add(target.read_text())
    for thread in threads:
        thread.join()
    assert seen <= set(contents)
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_link_is_replaced_and_what_it_led_to_is_untouched(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("theirs")
    (tmp_path / "a.txt").symlink_to(outside)
    write_atomically(tmp_path / "a.txt", "ours")
    assert outside.read_text() == "theirs"
    assert not (tmp_path / "a.txt").is_symlink()


def test_a_digest_does_not_depend_on_the_order_of_keys() -> None:
    assert digest({"a": 1, "b": ["ü", None]}) == digest({"b": ["ü", None], "a": 1})
    assert digest({"a": 1}) != digest({"a": "1"})
    assert len(digest(None)) == 64


@pytest.mark.parametrize(
    ("inputs", "names"),
    [
        (["x/a.pdf", "y/a.pdf", "z/a.pdf"], ["a.pdf", "a-2.pdf", "a-3.pdf"]),
        (["a.pdf", "a-2.pdf", "b/a.pdf"], ["a.pdf", "a-2.pdf", "a-3.pdf"]),
        (["a", "b/a"], ["a", "a-2"]),
        (["noext.txt", "noext"], ["noext.txt", "noext-2"]),
        (["noext", "noext.txt"], ["noext", "noext-2.txt"]),
        (["A.PDF", "b/a.pdf"], ["A.PDF", "a-2.pdf"]),
        ([" lead trail .txt"], ["lead trail.txt"]),
        (["ä" * 127 + ".txt"], ["ä" * 90 + ".txt"]),
        ([" ", "..."], ["_", "..."]),
        (["Verfügung 1.pdf"], ["Verfügung 1.pdf"]),
        (["a\u2028- todo.pdf", "a\n- todo.pdf"], ["a_- todo.pdf", "a_- todo-2.pdf"]),
    ],
)
def test_inputs_get_names_of_their_own_on_one_line(inputs: list[str], names: list[str]) -> None:
    assert unique_names(inputs) == names


@given(st.lists(st.text(st.characters(exclude_characters="/\0"), min_size=1, max_size=6), max_size=12))
def test_no_two_inputs_have_the_same_name(inputs: list[str]) -> None:
    names = unique_names(inputs)
    assert len(set(names)) == len(inputs)
    assert all(name.isprintable() for name in names)
    made = [(name + ending).casefold() for name in names for ending in ("", ".txt", ".read.json")]
    assert len(set(made)) == len(made), "what is made beside one is another one"


@given(st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=255))
def test_every_name_leaves_room_for_what_is_made_beside_it(name: str) -> None:
    (made,) = unique_names([name])
    assert made == made.strip() != ""
    assert len(f"{made}.read.json".encode()) <= 255


NAMES = st.sampled_from(["a", "b.md", "trace", ".git", "ü", "x y"])


@given(paths=st.lists(st.lists(NAMES, min_size=1, max_size=4).map(tuple), max_size=12), links=st.booleans())
def test_files_below_a_folder_are_those_that_a_search_finds(
    tmp_path_factory: pytest.TempPathFactory, paths: list[tuple[str, ...]], links: bool
) -> None:
    root = tmp_path_factory.mktemp("below")
    for path in paths:
        target = root.joinpath(*path)
        if not any(p.is_file() for p in (target, *target.parents)) and not target.exists():
            write_atomically(target, "text")
    if links:
        os.mkfifo(root / "pipe")
        (root / "to-root").symlink_to(root)
        (root / "to-pipe").symlink_to(root / "pipe")
    all_ = {p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file() and not p.is_symlink()}
    found = dict(files_below(str(root)))
    assert set(found) == all_ and all(entry.stat().st_size == 4 for entry in found.values())
    apart = {p for p in all_ if not p.startswith((".git/", "trace/"))}
    assert set(dict(files_below(str(root), (".git", "trace")))) == apart, "a file of that name stays"
    assert dict(files_below(str(root / "missing"))) == {}
