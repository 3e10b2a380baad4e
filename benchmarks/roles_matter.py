"""Do the roles of the creator change its result for the better, and does the review queue hold what they should see?

    python -m benchmarks.roles_matter [queue] [roles] [--sets NAME ...] [--share 0.15] [--short]

`queue`: of the errors that the rules make (requirements missed and false ones), how many stand in the queue at 15 % of the
sentences; and F1 before and after decisions of somebody who knows the gold list. The sets are the sample policy, ASVS 4,
FIPS 201-2 (on its labels) and those of `../shared/data/wild` on which the rules alone reach F1 .70; the weights that order
the queue were set before and without them. `roles`: whole jobs, whose Implementor keeps what the rules say until somebody
objects. QA and Assessor are constants (pass, met), or QA judges its sample by the gold list. Prints one JSON line a set, and
one with the difference in F1 and its 95 % interval (bootstrap over documents). Exits with 1 when a bar does not hold.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.extraction import FIPS, covered
from benchmarks.oracle import GoldSet, Labelled, text_sets
from echelon.crews.creator.playbook import as_ruled, creator
from echelon.crews.playbooks.view import View
from echelon.domains.requirements import extract_requirements
from echelon.domains.requirements.review.apply import applied
from echelon.domains.requirements.review.ledger import Entry
from echelon.domains.requirements.review.queue import SHARE, review_queue
from echelon.domains.requirements.review.types import Decision
from echelon.domains.requirements.types import Status
from tests.support.scripted import Reply, Script, Seen, call, register, service

USABLE = 0.70
"""F1 of the rules from which a set counts."""
BAR_HELD, BAR_F1 = 0.80, 0.95
DRAWS = 2_000


def queue_of(gold: GoldSet, share: float) -> dict[str, Any]:
    """What the queue of a set holds, and what it is good for."""
    queue = review_queue(gold.document, share=share)
    errors = len(gold.false) + len(gold.missed)
    after = gold.after(queue, gold.oracle(queue))
    return {
        "set": gold.name, "sentences": queue.sentences, "queue": len(queue.items), "errors": errors,
        "held": gold.held(queue), "f1": gold.f1([r.text for r in gold.found]), "f1_oracle": gold.f1(after),
    }  # fmt: skip


def queue_of_fips(share: float) -> dict[str, Any]:
    """The same on the labelled sentences."""
    labelled = Labelled.read()
    found = extract_requirements(labelled.document)
    queue = review_queue(labelled.document, share=share)
    taken = covered(labelled.document, found)
    errors = labelled.errors(taken)
    decisions = {d.id: d for item in queue.items if (d := labelled.decision(item)) is not None}
    now = applied(labelled.document, found, queue.items, {i: Entry(first=d) for i, d in decisions.items()})
    after = covered(labelled.document, [r for r in now if r.status is not Status.REJECTED])
    held = sum(any(labelled.touches(item, label) for item in queue.items) for label in errors)
    return {
        "set": "fips", "sentences": queue.sentences, "queue": len(queue.items), "errors": len(errors), "held": held,
        "f1": labelled.f1(taken), "f1_oracle": labelled.f1(after),
    }  # fmt: skip


def measure_queue(names: Sequence[str], share: float) -> bool:
    """Print what the queues hold; whether the bars hold."""
    rows = [queue_of(gold, share) for gold in text_sets(names)]
    if FIPS.exists() and (not names or "fips" in names):
        rows.append(queue_of_fips(share))
    for row in rows:
        counted = row["f1"] >= USABLE
        _say("queue", **row, counted=counted)
    used = [r for r in rows if r["f1"] >= USABLE]
    errors, held = sum(r["errors"] for r in used), sum(r["held"] for r in used)
    total = {
        "sets": len(used), "errors": errors, "held": held, "share_held": held / max(1, errors), "bar_held": BAR_HELD,
        "f1": mean(r["f1"] for r in used), "f1_oracle": mean(r["f1_oracle"] for r in used), "bar_f1": BAR_F1,
    }  # fmt: skip
    _say("queue", set="all that count", **total)
    return total["share_held"] >= BAR_HELD and total["f1_oracle"] >= BAR_F1


def _say(what: str, **figures: Any) -> None:
    rounded = {k: round(v, 4) if isinstance(v, float) else v for k, v in figures.items()}
    print(json.dumps({"benchmark": "roles_matter", "what": what, **rounded}), flush=True)


# whole jobs


def yields(seen: Seen) -> Reply:
    """An Implementor who keeps what the rules say, and follows whoever objects."""
    doubts: list[dict[str, Any]] = seen.values.get("doubts") or []
    if doubts and seen.last_tool != "decide_doubts":
        return call("decide_doubts", decisions=[d.get("objection") or as_ruled(d) for d in doubts])
    return _by_rule(seen)


def knows(decisions: dict[str, Decision]) -> Script:
    """A QA that judges its sample by the gold list."""

    def judge(seen: Seen) -> Reply:
        wanted: list[dict[str, Any]] = seen.values.get("judge") or []
        if wanted and seen.last_tool != "judge_doubts":
            said = [decisions[d["id"]].model_dump(mode="json") for d in wanted]
            return call("judge_doubts", decisions=said)
        return _by_rule(seen)

    return judge


def _by_rule(seen: Seen) -> Reply:
    tool, arguments = creator(View(seen.request))
    return call(tool, **arguments)


def delivered(folder: Path) -> list[str]:
    """Texts of the requirements that a job delivered."""
    value = json.loads((folder / "output" / "requirements.json").read_text(encoding="utf-8"))
    return [r["text"] for r in value["requirements"]]


def jobs_of(gold: GoldSet, share: float) -> dict[str, Any]:
    """F1 of the job with QA and Assessor as constants, and with QA by the gold list."""
    queue = review_queue(gold.document, share=share)
    register(yields, "yields")
    register({"qa": knows(gold.oracle(queue))}, "knows")
    settings = {
        "models.implementor": "scripted/yields", "requirements.review.share": share,
        "requirements.review.least": len(queue.items),
    }  # fmt: skip
    arms = {"constants": {"without": ["qa", "assessor"]}, "oracle": {"models.qa": "scripted/knows"}}
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, service(Path(folder)) as jobs:
        for arm, more in arms.items():
            done = jobs.run(jobs.submit("creator", [gold.path], None, "playbook", {**settings, **more}))
            found[arm] = gold.f1(delivered(done.folder)) if done.state == "completed" else 0.0
            found[f"{arm}_calls"], found[f"{arm}_state"] = done.spent["model_calls"], str(done.state)
    return {"set": gold.name, "queue": len(queue.items), **found, "difference": found["oracle"] - found["constants"]}


def interval(values: Sequence[float], seed: int = 1) -> tuple[float, float]:
    """The middle 95 % of means of samples drawn with repetition."""
    draw = random.Random(seed)
    means = sorted(mean(draw.choices(values, k=len(values))) for _ in range(DRAWS))
    return means[round(0.025 * DRAWS)], means[round(0.975 * DRAWS) - 1]


def measure_roles(golds: Iterable[GoldSet], share: float) -> bool:
    """Print the difference that an oracle in QA's place makes; whether it is above nought."""
    rows = list(_rows(golds, share))
    differences = [r["difference"] for r in rows]
    low, high = interval(differences)
    _say(
        "roles", set="all", sets=len(rows), constants=mean(r["constants"] for r in rows),
        oracle=mean(r["oracle"] for r in rows), difference=mean(differences), low=low, high=high,
    )  # fmt: skip
    return mean(differences) > 0


def _rows(golds: Iterable[GoldSet], share: float) -> Iterator[dict[str, Any]]:
    for gold in golds:
        if gold.f1([r.text for r in gold.found]) >= USABLE:
            row = jobs_of(gold, share)
            _say("roles", **row)
            yield row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", default=["queue", "roles"], choices=["queue", "roles"])
    parser.add_argument("--sets", nargs="+", default=[], metavar="NAME", help="only these")
    parser.add_argument("--share", type=float, default=SHARE)
    parser.add_argument("--short", action="store_true", help="the sample policy alone")
    given = parser.parse_args()
    names = ["policy"] if given.short else given.sets
    held = [measure_queue(names, given.share)] if "queue" in given.what else []
    if "roles" in given.what:
        held.append(measure_roles(text_sets(names), given.share) or given.short)
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
