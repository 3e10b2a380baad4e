"""The report in a real browser: drawn at the width of a desk and of a telephone, and nobody is asked for anything."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from echelon.experiments.analysis.analyse import analyse
from echelon.experiments.report.page import Extras, page
from tests.experiments.making import experiment, planned, results
from tests.support.browser import needs_browser, picture_of


def report() -> str:
    definition = experiment(repeats=2, arms={"full": {}, "no_qa": {"model": "x"}, "single": {"crew": "single"}})
    trials = planned(definition, 12)
    done = results(trials, lambda t: {"success": t.arm != "no_qa" or t.repeat == 1})
    return page(analyse(definition, trials, done), trials, done, Extras())


@needs_browser
@pytest.mark.parametrize("width", [1400, 390])
def test_the_report_is_drawn_and_asks_for_nothing(tmp_path: Path, width: int) -> None:
    found, asked = picture_of(report(), tmp_path, width, 2400)
    assert asked == {"/report.html"}
    assert struct.unpack(">II", found[16:24]) == (width, 2400)
    assert len(found) > 40_000, "an empty page is a few kilobytes"
