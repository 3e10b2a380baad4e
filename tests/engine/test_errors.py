"""The tree of errors: which kinds there are, and that each says one sentence."""

from __future__ import annotations

import inspect

import pytest

from echelon import errors as e


def all_errors() -> list[type[BaseException]]:
    classes = [c for _, c in inspect.getmembers(e, inspect.isclass) if c.__module__ == e.__name__]
    return [c for c in classes if issubclass(c, BaseException)]


def test_every_error_is_in_the_tree_but_the_one_that_nobody_may_catch() -> None:
    outside = [c for c in all_errors() if not issubclass(c, e.EchelonError)]
    assert outside == [e.Halted]
    assert not issubclass(e.Halted, Exception)


def test_the_branches_of_the_tree_do_not_overlap() -> None:
    branches = (e.UserError, e.ModelFault, e.ModelUnavailable, e.RunEnded)
    for error in all_errors():
        assert sum(issubclass(error, branch) for branch in branches) <= 1, error


@pytest.mark.parametrize(
    ("name", "known", "nearest"),
    [
        ("creater", ["coder", "creator", "planner"], "creator"),
        ("CREATOR", ["coder", "creator"], "creator"),
        ("budget.cots", ["budget.cost", "budget.tokens"], "budget.cost"),
        ("xyzzy", ["coder", "creator"], None),
        ("budget.xyzzy", ["budget.cost", "budget.tokens"], None),
        ("policy.pdf", ["policy-2.pdf", "rules.docx"], "policy-2.pdf"),
        ("x", [], None),
    ],
)
def test_an_unknown_name_comes_with_the_nearest_or_with_all(name: str, known: list[str], nearest: str | None) -> None:
    error = e.UnknownName("job type", name, known)
    assert (error.what, error.name, error.nearest) == ("job type", name, nearest)
    listed = f"known: {', '.join(known)}." if known else "there is none yet."
    hint = f"did you mean '{nearest}'?" if nearest else listed
    assert str(error) == f"Unknown job type '{name}'; {hint}"
    assert isinstance(error, e.UserError)


def test_a_long_list_of_known_names_is_cut() -> None:
    text = str(e.UnknownName("job", "zzz", [f"creator-{n:04d}" for n in range(300)]))
    assert text.endswith("creator-0011 and 288 more.")
    assert "creator-0012" not in text


def test_the_nearest_name_does_not_depend_on_the_order_of_the_known_ones() -> None:
    known = ["aab", "aba", "baa"]
    assert len({e.UnknownName("x", "aa", order).nearest for order in (known, known[::-1])}) == 1


def test_limits_carry_what_was_reached() -> None:
    error = e.LimitReached("cost", 5.0, 5.25, "job")
    assert (error.limit, error.ceiling, error.spent, error.scope) == ("cost", 5.0, 5.25, "job")
    assert str(error) == "job: the ceiling of cost is 5 and 5.25 are spent"
    assert isinstance(error, e.RunEnded)


def test_a_busy_job_names_who_has_it() -> None:
    error = e.JobBusy("creator-1", "process 12 on host")
    assert (error.job, error.holder) == ("creator-1", "process 12 on host")
    assert "process 12 on host" in str(error)


def test_halted_keeps_its_cause_and_passes_every_except_exception() -> None:
    cause = OSError("disk full")
    with pytest.raises(e.Halted) as caught:
        try:
            raise e.Halted(cause)
        except Exception:
            pytest.fail("it was caught")
    assert caught.value.cause is cause and str(caught.value) == "disk full"
