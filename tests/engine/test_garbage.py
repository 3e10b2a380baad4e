"""Python looks for garbage seldom where objects are made that stay, and as often as before everywhere else."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from echelon.garbage import MAKING, OURS, seldom_collecting

REPOSITORY = Path(__file__).parents[2]
USUAL = (701, 11, 12)


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*USUAL)
    yield
    gc.set_threshold(*before)


def test_it_is_as_before_after_the_block_however_that_ends() -> None:
    with seldom_collecting():
        assert gc.get_threshold() == MAKING
    assert gc.get_threshold() == USUAL
    with pytest.raises(ValueError, match="of the block"), seldom_collecting():
        raise ValueError("an error of the block")
    assert gc.get_threshold() == USUAL


def test_blocks_in_each_other_and_beside_each_other_leave_it_as_it_was() -> None:
    entered, may_leave = threading.Event(), threading.Event()

    def beside() -> None:
        with seldom_collecting():
            entered.set()
            assert may_leave.wait(10)

    thread = threading.Thread(target=beside)
    with seldom_collecting(), seldom_collecting():
        thread.start()
        assert entered.wait(10)
    assert gc.get_threshold() == MAKING, "the other thread is still inside"
    may_leave.set()
    thread.join(10)
    assert gc.get_threshold() == USUAL


def said(code: str) -> str:
    program = [sys.executable, "-W", "ignore", "-c", f"import gc; gc.set_threshold{USUAL}\n{code}"]
    done = subprocess.run(program, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=120)
    return done.stdout.strip()


def test_a_command_looks_seldom() -> None:
    command = "from echelon.faces.cli.main import to_its_end\nto_its_end(lambda: print(gc.get_threshold()) or 0)"
    assert said(command) == str(OURS)


def test_crewai_is_imported_with_few_looks_and_a_users_script_is_left_alone() -> None:
    """Each look over what was imported so far costs more than the one before."""
    looks, objects, after = said(
        "looks = []; gc.callbacks.append(lambda phase, _: looks.append(phase) if phase == 'start' else None)\n"
        "from echelon.crews.driving import quieten_crewai; quieten_crewai()\n"
        "print(len(looks), len(gc.get_objects()), gc.get_threshold(), sep=';')"
    ).split(";")
    least = int(objects) // USUAL[0]  # each time that there are so many more, even if all of them stay
    assert int(looks) < least / 2.5, (looks, objects)
    assert after == str(USUAL)
