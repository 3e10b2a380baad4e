"""Token counts: exact, without a network; and what tokens cost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import hypothesis.strategies as st
import pytest
import tiktoken
from hypothesis import given, settings

from echelon.tokens import count_tokens, cut_to_tokens, price

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def encoding() -> tiktoken.Encoding:
    count_tokens("")  # puts the vocabulary where tiktoken looks for it
    return tiktoken.get_encoding("o200k_base")


@given(st.text(max_size=400))
@settings(max_examples=100, deadline=None)
def test_counts_are_those_of_tiktoken(text: str) -> None:
    count_tokens("")
    assert count_tokens(text) == len(tiktoken.get_encoding("o200k_base").encode(text, disallowed_special=()))


def test_known_counts(encoding: tiktoken.Encoding) -> None:
    assert count_tokens("") == 0
    assert count_tokens("hello world") == 2
    assert count_tokens("<|endoftext|>") > 1, "text that looks like a special token is text"
    assert count_tokens("Aufbewahrungspflicht") == len(encoding.encode("Aufbewahrungspflicht"))


FRESH = "import time\nfrom echelon.tokens import count_tokens\nprint(count_tokens('The records shall be kept.'))"


def test_nothing_is_asked_of_the_network(tmp_path: Path) -> None:
    """In a process that cannot open a connection, with an empty folder for temporary files."""
    walled = f"import socket\ndef no(*a, **k): raise OSError('no network')\nsocket.socket.connect = no\n{FRESH}"
    around = {k: v for k, v in os.environ.items() if k not in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", walled], cwd=REPOSITORY, env={**around, "TMPDIR": str(tmp_path)},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.strip() == str(count_tokens("The records shall be kept."))
    folders = list(tmp_path.glob("echelon-bpe-*"))
    assert len(folders) == 1 and folders[0].stat().st_mode & 0o777 == 0o700
    assert not list(folders[0].glob("*.[0-9]*")), "no half-written vocabulary stays"


def test_other_vocabularies_of_the_wheel_are_not_loaded() -> None:
    count_tokens("")
    assert "bpe_openai" not in sys.modules


def test_two_processes_that_start_together_do_not_spoil_the_vocabulary(tmp_path: Path) -> None:
    around = {k: v for k, v in os.environ.items() if k != "TIKTOKEN_CACHE_DIR"} | {"TMPDIR": str(tmp_path)}
    both = [
        subprocess.Popen([sys.executable, "-c", FRESH], cwd=REPOSITORY, env=around, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert {process.communicate(timeout=120)[0].strip() for process in both} == {
        str(count_tokens("The records shall be kept."))
    }


@given(st.text(max_size=600), st.integers(3, 60))
@settings(max_examples=100, deadline=None)
def test_a_cut_text_keeps_its_head_and_its_tail(text: str, most: int) -> None:
    cut = cut_to_tokens(text, most, note="|{cut}|")
    if count_tokens(text) <= most:
        assert cut == text
    else:
        left_out = count_tokens(text) - most * 2 // 3 - most // 3
        assert f"|{left_out}|" in cut
        assert count_tokens(cut) <= most + 16 + 4 * text.count("\ufffd") + 6
        assert cut[:1] in (text[:1], "\ufffd", "|") and cut[-1:] in (text[-1:], "\ufffd", "|")


def test_one_character_can_be_several_tokens() -> None:
    text = "\U00011440" * 3
    assert count_tokens(text) > 6
    assert "left out" in cut_to_tokens(text, 6)


def test_a_short_text_stays_whole() -> None:
    assert cut_to_tokens("x" * 50, 50) == "x" * 50


def test_a_long_text_says_how_much_is_left_out() -> None:
    cut = cut_to_tokens("word " * 1000, 90)
    assert cut.startswith("word word") and cut.rstrip().endswith("word")
    assert "[... 911 tokens left out ...]" in cut or "tokens left out" in cut
    assert count_tokens(cut) < 110


def test_prices_are_those_of_the_list() -> None:
    one = price("gpt-4o-mini", 1_000_000, 0)
    both = price("gpt-4o-mini", 1_000_000, 1_000_000)
    assert one is not None and both is not None
    assert 0 < one < both
    cached = price("gpt-4o-mini", 1_000_000, 0, cached=1_000_000)
    assert cached is not None and cached < one
    assert price("gpt-4o-mini", 0, 0) == 0


def test_a_model_that_nobody_knows_has_no_price() -> None:
    assert price("a-model-of-my-own", 1000, 1000) is None
