"""The map: files of a tree, symbols, imports, and reading each content once."""

from __future__ import annotations

import os
import time
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.domains.code.map.facts import SymbolKind, pack, unpack
from echelon.domains.code.map.grammar_file import first_error, read_by_grammar
from echelon.domains.code.map.languages import find_tests, is_generated, language_of
from echelon.domains.code.map.python_file import read_python
from echelon.domains.code.map.reading import FactsStore
from echelon.domains.code.map.walking import MOST_FILES, tree_files
from echelon.domains.code.map.words import terms, terms_of
from echelon.errors import UserError
from tests.code.conftest import MakeTree, commit_all, patient


def paths(root: Path) -> list[str]:
    return [file.path for file in tree_files(root)]


def test_names_are_taken_apart_and_kept_whole() -> None:
    assert terms_of("HttpClient") == ("httpclient", "http", "client")
    assert terms_of("MAX_ATTEMPTS") == ("max_attempts", "max", "attempts")
    assert terms("The parseHTTPHeader of self") == {"parsehttpheader": 1, "parse": 1, "http": 1, "header": 1}


@patient
@given(st.text(max_size=200))
def test_terms_of_any_text_are_small_letters_without_blanks(text: str) -> None:
    for term, count in terms(text).items():
        assert count > 0 and len(term) > 1 and term == term.lower() and not term.isspace()


def test_python_symbols_have_their_lines_and_qualified_names() -> None:
    facts = read_python(
        "import os\nfrom . import b\n\n@cache\ndef f(x):\n    return x\n\nclass A:\n    def m(self):\n        pass\n"
    )
    assert [(s.name, s.kind, s.first, s.last) for s in facts.symbols] == [
        ("f", SymbolKind.FUNCTION, 4, 6),
        ("A", SymbolKind.CLASS, 8, 10),
        ("A.m", SymbolKind.FUNCTION, 9, 10),
    ]
    assert facts.symbols[0].signature == "def f(x):"
    assert facts.imports == ["os", ".", ".b"] and facts.parsed


def test_docstrings_are_no_messages() -> None:
    facts = read_python('def f():\n    """Explains everything."""\n    raise ValueError("gave up late")\n')
    assert "gave" in facts.strings and "explains" not in facts.strings


def test_python_that_does_not_parse_is_read_by_patterns() -> None:
    facts = read_python("import os\nprint 'old'\ndef f(x):\n    return x\nclass A:\n  pass\n")
    assert not facts.parsed and facts.imports == ["os"]
    assert [(s.name, s.first, s.last) for s in facts.symbols] == [("f", 3, 4), ("A", 5, 6)]


@patient
@given(st.text(max_size=300))
def test_reading_python_never_fails(text: str) -> None:
    facts = read_python(text)
    assert unpack(pack(facts)) == facts


@pytest.mark.parametrize(
    ("language", "source", "expected"),
    [
        (
            "javascript",
            "import x from './x.js'\nclass A { go(a) { return 1 } }\nconst f = (b) => b\n",
            ["A", "A.go", "f"],
        ),
        ("typescript", "interface I { a: number }\nexport function g(x: number): I { return {a: x} }\n", ["I", "g"]),
        ("tsx", "export const App = () => <p>hi</p>\n", ["App"]),
        (
            "go",
            'package a\nimport "fmt"\ntype T struct { a int }\nfunc (t *T) Do() { fmt.Println("x") }\n',
            ["T", "Do"],
        ),
        ("java", "class A { A() {} int f(int x) { return x; } }\n", ["A", "A.A", "A.f"]),
        (
            "rust",
            "use std::fs;\nstruct S { a: i32 }\nimpl S { fn go(&self) {} }\nfn main() {}\n",
            ["S", "S", "S.go", "main"],
        ),
        ("c", "#include <a.h>\nstruct p { int x; };\nint *area(struct p *q) { return 0; }\n", ["p", "area"]),
        (
            "cpp",
            "namespace n { class A { public: void f() {} }; }\nint A::g() { return 1; }\n",
            ["n", "n.A", "n.A.f", "A.g"],
        ),
    ],
)
def test_symbols_of_other_languages(language: str, source: str, expected: list[str]) -> None:
    facts = read_by_grammar(source, language)
    assert [symbol.name for symbol in facts.symbols] == expected
    assert facts.parsed and len(facts.bodies) == len(facts.symbols)


def test_the_line_of_a_syntax_error_is_found() -> None:
    assert first_error("function f() { return 1 }\n", "javascript") is None
    assert first_error("function f() {\n  return (1\n}\n", "javascript") is not None


def test_tests_are_told_from_a_package_that_helps_testing() -> None:
    every = [
        "a/test/client.py",
        "a/core.py",
        "tests/test_core.py",
        "tests/helper.py",
        "web/app.test.ts",
        "lib/x_test.go",
    ]
    assert find_tests(every) == {"tests/test_core.py", "tests/helper.py", "web/app.test.ts", "lib/x_test.go"}
    assert language_of("a/b.TSX") == "tsx" and language_of("a/b.md") is None
    assert is_generated("js/jquery.min.js") and is_generated("vendor/x.go") and not is_generated("a/vendors.py")


def test_git_says_which_files_belong(make_tree: MakeTree) -> None:
    root = make_tree({"a.py": "x", ".gitignore": "made/\n", "made/b.py": "y", "c.py": "z"})
    commit_all(root, "Begin")
    (root / "new.py").write_text("n")
    (root / "c.py").unlink()
    (root / "link.py").symlink_to("/etc/passwd")
    assert paths(root) == [".gitignore", "a.py", "new.py"]


def test_a_plain_folder_leaves_out_what_is_installed_or_built(make_tree: MakeTree) -> None:
    root = make_tree(
        {"a.py": "x", "node_modules/b.js": "y", ".venv/c.py": "z", "src/d.py": "", "big.py": "#" * (2 << 20)}
    )
    assert paths(root) == ["a.py", "src/d.py"]


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no folder"):
        tree_files(tmp_path / "none")


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    for number in range(MOST_FILES // 500 + 1):
        folder = tmp_path / str(number)
        folder.mkdir()
        first = folder / "0"
        first.touch()
        for each in range(1, 500):
            os.link(first, folder / str(each))
    with pytest.raises(UserError, match="name a folder within it"):
        tree_files(tmp_path)


def test_a_content_is_read_once_and_a_changed_file_again(shop: Path, tmp_path: Path) -> None:
    for path in shop.rglob("*.py"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    with closing(FactsStore(tmp_path / "facts.sqlite3")) as store:
        before = store.sources(shop)
        assert {f.path for f in before} >= {"shop/prices.py", "tests/test_prices.py"}
        assert "def" not in store.facts(shop, before)["shop/prices.py"].terms
        assert store.sources(shop) == before
        (shop / "shop/prices.py").write_text("def other():\n    pass\n")
        after = store.sources(shop)
        changed = {f.path for f in after} - {f.path for f in after if f in before}
        assert changed == {"shop/prices.py"}
        assert store.facts(shop, after)["shop/prices.py"].defines == ["other"]


def test_a_change_right_after_a_look_is_not_missed(shop: Path, tmp_path: Path) -> None:
    """The same size and the same time: only the content differs."""
    file = shop / "shop/basket.py"
    with closing(FactsStore(tmp_path / "facts.sqlite3")) as store:
        now = time.time()
        file.write_text("a = 1\n")
        os.utime(file, (now, now))
        before = store.sources(shop)
        file.write_text("b = 2\n")
        os.utime(file, (now, now))
        assert store.sources(shop) != before
