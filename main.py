"""The door of a clone: `python main.py` is the `echelon` command; crewai's own command line finds its names here."""

from __future__ import annotations

from echelon.faces.cli.for_crewai import SAMPLE, kickoff, plot, replay, test, train
from echelon.faces.cli.main import cli

__all__ = ["SAMPLE", "cli", "kickoff", "plot", "replay", "test", "train"]

if __name__ == "__main__":
    cli()
