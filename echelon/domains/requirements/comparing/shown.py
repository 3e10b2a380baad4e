"""A comparison as text, as JSON, and as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from echelon.domains.requirements.comparing.compare import Change, Comparison, Kind
from echelon.domains.requirements.types import Requirement

if TYPE_CHECKING:
    from pydantic import JsonValue

SHOWN = (Kind.CHANGED, Kind.NEW, Kind.GONE, Kind.MOVED)


def counts(comparison: Comparison) -> dict[str, int]:
    """How many requirements of each kind."""
    return {kind.value: len(comparison.of(kind)) for kind in Kind}


def as_text(comparison: Comparison) -> str:
    """A line for each requirement that is not the same; deleted words in [-...-], added ones in {+...+}."""
    lines = [", ".join(f"{number} {name}" for name, number in counts(comparison).items())]
    lines += [line for kind in SHOWN for change in comparison.of(kind) for line in _lines(change)]
    return "\n".join(lines)


def _lines(change: Change) -> Iterator[str]:
    yield f"{change.kind.value:8} {name_of(change)}: {_marked(change)}"
    if change.why:
        yield f"{'':9}{change.why}"


def name_of(change: Change) -> str:
    """The number of the document, else the id, of the requirement that is spoken of."""
    requirement = _side(change)
    return requirement.source_id or requirement.id


def _side(change: Change) -> Requirement:
    side = change.new or change.old
    assert side is not None
    return side


def _marked(change: Change) -> str:
    if not change.words:
        return " ".join(_side(change).text.split())
    parts: list[str] = []
    for words in change.words:
        if words.same:
            parts.append(words.new)
        else:
            parts += [f"[-{words.old}-]"] if words.old else []
            parts += [f"{{+{words.new}+}}"] if words.new else []
    return " ".join(parts)


def as_json(comparison: Comparison) -> JsonValue:
    """Counts, and each change with both requirements; what is the same is only counted."""
    changes: list[JsonValue] = [change.model_dump(mode="json") for kind in SHOWN for change in comparison.of(kind)]
    return {"schema_version": 1, "counts": dict(counts(comparison)), "changes": changes}


def as_html(comparison: Comparison, old: str, new: str) -> str:
    """One page; nothing in it runs, and every text is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    folder = __file__.rpartition("/")[0]
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    groups = [(kind.value, comparison.of(kind)) for kind in SHOWN]
    template = environment.get_template("comparison.html.j2")
    return template.render(groups=groups, counts=counts(comparison), old=old, new=new, name_of=name_of)
