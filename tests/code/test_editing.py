"""Edits, patches, paths, syntax checks, numbered reading and search."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.domains.code.editing.edit import nearest_lines, occurrences, replace_unique
from echelon.domains.code.editing.looking import MOST_LINES, find_files, numbered, search_lines, unnumbered
from echelon.domains.code.editing.patch import apply_patch, parse_patch, unified_diff
from echelon.domains.code.editing.paths import inside, read_text
from echelon.domains.code.editing.syntax import syntax_error
from echelon.errors import ModelFault
from tests.code.conftest import patient

TEXT = "def a():\n    return 1\n\n\ndef b():\n    return 2\n"
lines = st.lists(st.sampled_from(["a", "b", "    c", "", "d = 1"]), max_size=12)


def joined(parts: list[str]) -> str:
    return "".join(part + "\n" for part in parts)


def test_a_unique_piece_is_replaced() -> None:
    assert replace_unique(TEXT, "return 2", "return 3") == TEXT.replace("return 2", "return 3")


def test_a_piece_that_comes_twice_is_refused_with_its_lines() -> None:
    with pytest.raises(ModelFault, match=r"occurs 2 times in x.py, at lines 2, 6"):
        replace_unique(TEXT, "    return", "    yield", path="x.py")


def test_a_piece_that_is_not_there_is_answered_with_the_nearest_lines() -> None:
    with pytest.raises(ModelFault) as fault:
        replace_unique(TEXT, "def b():\n  return 22\n", "")
    assert "nearest lines are 5-6" in str(fault.value) and "    6 |     return 2" in str(fault.value)


def test_nothing_near_is_said_so() -> None:
    with pytest.raises(ModelFault, match="Nothing like it"):
        replace_unique(TEXT, "completely different words here", "x")


@pytest.mark.parametrize(("old", "new"), [("", "x"), ("return 1", "return 1")])
def test_edits_that_change_nothing_are_refused(old: str, new: str) -> None:
    with pytest.raises(ModelFault):
        replace_unique(TEXT, old, new)


def test_line_ends_of_the_file_are_kept() -> None:
    assert replace_unique("a\r\nb\r\nc\r\n", "a\nb", "x\ny") == "x\r\ny\r\nc\r\n"


@patient
@given(st.text(max_size=60), st.text(min_size=1, max_size=5), st.text(max_size=5))
def test_an_edit_happens_exactly_when_the_piece_is_unique(text: str, old: str, new: str) -> None:
    found = occurrences(text, old)
    assert len(found) == text.count(old)
    try:
        assert replace_unique(text, old, new) == text.replace(old, new) and len(found) == 1
    except ModelFault:
        assert len(found) != 1 or old == new or "\r\n" in text


@patient
@given(lines, lines)
def test_a_diff_of_two_texts_makes_the_one_from_the_other(before: list[str], after: list[str]) -> None:
    one, two = joined(before), joined(after)
    diff = unified_diff("f.txt", one, two)
    if not diff:
        assert one == two
        return
    assert apply_patch(parse_patch(diff), {"f.txt": one}.get) == {"f.txt": two}


@patient
@given(lines.filter(bool), lines.filter(bool), st.integers(-9, 9))
def test_wrong_line_numbers_do_not_matter_where_the_lines_are_unique(
    before: list[str], after: list[str], by: int
) -> None:
    one = joined([f"{n} {line}" for n, line in enumerate(before)])
    two = joined([f"{n} {line}" for n, line in enumerate(after)])
    diff = unified_diff("f.txt", one, two)
    hunks = parse_patch(diff) if diff else []
    for patch in hunks:
        patch.hunks = [type(h)(max(1, h.first + by), h.new_first, h.lines, h.no_newline) for h in patch.hunks]
    if hunks and all(hunk.before for hunk in hunks[0].hunks):
        assert apply_patch(hunks, {"f.txt": one}.get) == {"f.txt": two}


def test_a_patch_makes_changes_renames_and_deletes_files() -> None:
    patch = (
        "diff --git a/old.py b/new.py\nrename from old.py\nrename to new.py\n--- a/old.py\n+++ b/new.py\n"
        "@@ -1,2 +1,2 @@\n-a = 1\n+a = 2\n b = 1\n"
        "--- /dev/null\n+++ b/made.py\n@@ -0,0 +1,2 @@\n+x = 1\n+y = 2\n"
        "--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-z = 1\n"
    )
    files = {"old.py": "a = 1\nb = 1\n", "gone.py": "z = 1\n"}
    assert apply_patch(parse_patch(patch), files.get) == {
        "old.py": None,
        "new.py": "a = 2\nb = 1\n",
        "made.py": "x = 1\ny = 2\n",
        "gone.py": None,
    }


def test_added_and_removed_lines_have_their_numbers() -> None:
    (patch,) = parse_patch(unified_diff("a.py", TEXT, TEXT.replace("return 1", "x = 1\n    return x")))
    assert patch.added() == [(2, "    x = 1"), (3, "    return x")] and patch.removed() == [(2, "    return 1")]


def test_a_missing_line_feed_at_the_end_is_kept_or_made() -> None:
    for one, two in (("a\nb", "a\nc"), ("a\nb", "a\nb\n"), ("a\nb\n", "a\nb")):
        assert apply_patch(parse_patch(unified_diff("f", one, two)), {"f": one}.get) == {"f": two}


@pytest.mark.parametrize(
    ("patch", "says"),
    [
        ("just words", "no unified diff"),
        ("@@ -1 +1 @@\n-a\n+b\n", "before it names a file"),
        ("--- a/none.py\n+++ b/none.py\n@@ -1 +1 @@\n-a\n+b\n", "does not exist"),
        (
            "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-nowhere\n+b\n",
            "'nowhere' does not stand in the file. Nothing was changed",
        ),
        ("--- /dev/null\n+++ b/x.py\n@@ -0,0 +1 @@\n+b\n", "but it exists"),
    ],
)
def test_a_patch_that_does_not_fit_says_why(patch: str, says: str) -> None:
    with pytest.raises(ModelFault, match=says):
        apply_patch(parse_patch(patch), {"x.py": "a\n"}.get)


@patient
@given(st.text(max_size=200))
def test_any_text_is_a_patch_or_refused(text: str) -> None:
    try:
        assert parse_patch(text)
    except ModelFault as fault:
        assert str(fault)


def test_blanks_at_line_ends_do_not_keep_a_patch_out() -> None:
    assert apply_patch(parse_patch("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"), {"x": "a  \nb \n"}.get) == {
        "x": "a\nc\n"
    }


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../up.py", "a/../../up.py", ".git/config", ".GIT/hooks/x", "", "a\0b", "x" * 600]
)
def test_paths_that_lead_out_are_refused(shop: Path, path: str) -> None:
    with pytest.raises(ModelFault):
        inside(shop, path)


def test_a_link_that_leads_out_is_refused(shop: Path) -> None:
    (shop / "out").symlink_to("/etc")
    (shop / "in").symlink_to("shop")
    with pytest.raises(ModelFault, match="leads out"):
        inside(shop, "out/passwd")
    assert inside(shop, "in/prices.py").is_file()


def test_a_file_that_is_not_there_is_answered_with_the_nearest(shop: Path) -> None:
    with pytest.raises(ModelFault, match=r"did you mean 'shop/prices.py'"):
        read_text(shop, "src/prices.py", similar=find_files(shop))
    with pytest.raises(ModelFault, match=r"did you mean 'shop/prices.py'\?$"):
        read_text(shop, "documents/prices.txt", similar=find_files(shop))


def test_a_file_that_is_not_utf8_is_named(shop: Path) -> None:
    (shop / "latin.py").write_bytes(b"# caf\xe9\n")
    with pytest.raises(ModelFault, match=r"not UTF-8 text \(byte 5\)"):
        read_text(shop, "latin.py")


@pytest.mark.parametrize(
    ("path", "bad", "good"),
    [
        ("a.py", "def f(:\n", "def f():\n    pass\n"),
        ("a.json", '{"a": }', '{"a": 1}'),
        ("a.toml", "a = ", "a = 1"),
        ("a.yaml", "a: [1", "a: [1]"),
        ("a.js", "function f( {", "function f() {}"),
        ("a.go", "package a\nfunc f( {", "package a\nfunc f() {}\n"),
    ],
)
def test_syntax_is_checked_by_the_files_language(path: str, bad: str, good: str) -> None:
    assert syntax_error(path, good) is None
    assert syntax_error(path, bad)
    assert syntax_error("notes.txt", bad) is None


def test_reading_has_numbers_and_ends() -> None:
    assert numbered(TEXT, 5, 6) == "    5 | def b():\n    6 |     return 2"
    shown = numbered("x\n" * (MOST_LINES + 7))
    assert shown.endswith(f"[lines {MOST_LINES + 1}-{MOST_LINES + 7} follow]")
    assert numbered("") == ""
    with pytest.raises(ModelFault, match="has 6 lines"):
        numbered(TEXT, 7)


def test_lines_are_searched_by_expression_and_glob(shop: Path) -> None:
    found = search_lines(shop, r"def \w+total|def total", glob="*.py")
    assert [(each.path, each.line) for each in found] == [("shop/basket.py", 4)]
    assert search_lines(shop, "discount", glob="tests/**")[0].path == "tests/test_prices.py"
    assert len(search_lines(shop, ".", most=3)) == 3
    with pytest.raises(ModelFault, match="no regular expression"):
        search_lines(shop, "(")


def test_files_are_found_by_glob(shop: Path) -> None:
    assert find_files(shop, "shop/*.py") == ["shop/__init__.py", "shop/basket.py", "shop/prices.py", "shop/retry.py"]
    assert find_files(shop, "*.md") == ["README.md"] and find_files(shop, "**/test_?rices.py") == [
        "tests/test_prices.py"
    ]


@patient
@given(lines, lines)
def test_the_nearest_lines_lie_in_the_text(text: list[str], old: list[str]) -> None:
    near = nearest_lines(joined(text), joined(old))
    assert near is None or 1 <= near[0] <= near[1] <= len(text)


def test_numbers_that_were_copied_along_are_taken_off() -> None:
    shown = numbered("def f():\n\n    return 1\n")
    assert unnumbered(shown) == "def f():\n\n    return 1"
    for text in ("x = 1\n", "1 | 2\nx | y", "", "\n", "a 3 | b"):
        assert unnumbered(text) == text
