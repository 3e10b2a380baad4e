"""The example that is shipped holds what the documentation says of it."""

from __future__ import annotations

from pathlib import Path

from echelon.experiments.definition.load import load
from echelon.experiments.definition.sense import make_sense

EXAMPLE = Path(__file__).parents[2] / "examples" / "experiment" / "experiment.yaml"


def test_the_example_makes_sense_and_has_enough_tasks_for_an_interval() -> None:
    loaded = load(EXAMPLE)
    make_sense(loaded)
    assert len(loaded.clusters) == 5 and loaded.experiment.baseline == "steady"
    assert all(task.inputs and task.checks for task in loaded.tasks)
