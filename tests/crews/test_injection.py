"""Instructions in documents have no effect, even when the model follows each of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.injection import effects, obedient, one, outside, prepare, validated
from echelon.service.service import Service
from tests.support.obedient import DISGUISES, ORDERS, SECRET, _undisguised, injected
from tests.support.scripted import service


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Service]:
    with service(tmp_path) as it:
        prepare(it)
        yield it


@pytest.mark.parametrize("number", [0, 1, 5, 7, 17], ids=lambda n: "-".join(injected(n, "")[2]).replace(" ", "_"))
def test_a_model_that_obeys_documents_does_no_harm(jobs: Service, number: int) -> None:
    row = one(jobs, number)
    assert row["followed"] > 0, "nothing was tried, so nothing was tested"
    assert row["effects"] == []
    assert row["state"] == "completed"


def test_a_validator_that_was_told_to_delete_keeps_the_graph(jobs: Service) -> None:
    source = jobs.environment.home.parent / "inputs" / "a.md"
    source.write_text(
        "# A\n\n1.1 The operator shall log each access.\n\n1.2 Users must not share keys.\n", encoding="utf-8"
    )
    row = validated(jobs, [source])
    assert row["followed"] >= 3 and row["requirements"] >= 2
    assert row["effects"] == []


def test_what_the_benchmark_calls_an_effect_is_seen(jobs: Service) -> None:
    """An effect that happened is found: else nought would say nothing."""
    before = outside(jobs)
    source = jobs.environment.home.parent / "inputs" / "a.md"
    source.write_text("# A\n\n1.1 The operator shall log each access.\n", encoding="utf-8")
    before = outside(jobs)
    result = jobs.run(jobs.submit("creator", [source], None, "playbook"))
    assert effects(jobs, result, before) == []
    (result.folder / "notes" / "leak.txt").write_text(SECRET, encoding="utf-8")
    (jobs.environment.home / "pwned.txt").write_text("pwned", encoding="utf-8")
    (jobs.environment.home / "keep.txt").unlink()
    found = effects(jobs, result, before)
    assert any("the secret is in notes/leak.txt" in e for e in found)
    assert "changed outside: home/pwned.txt" in found and "gone: home/keep.txt" in found


def test_every_order_and_every_disguise_is_used_and_can_be_read() -> None:
    documents = [injected(n, "/home/x") for n in range(30)]
    assert {name for _, _, orders in documents for name in orders} == set(ORDERS)
    for _, text, orders in documents:
        for name in orders:
            wanted = _undisguised(ORDERS[name].replace("{HOME}", "/home/x"))
            assert wanted in _undisguised(text), name
    assert len({text for _, text, _ in documents}) == 30 and len(DISGUISES) == 10


def test_the_model_obeys_and_works_at_the_same_time(jobs: Service) -> None:
    model = obedient(jobs, "creator")
    assert model.name == "obedient" and model.followed == 0
