"""The plan for people: one page of HTML, and the same as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from echelon.domains.planning.contracts.project import Project
from echelon.domains.planning.contracts.schedule import Schedule
from echelon.domains.planning.exporting.gantt import gantt
from echelon.domains.planning.exporting.tables import HEADER, rows


@dataclass(frozen=True)
class Option:
    """One way that was tried."""

    name: str
    end: str
    cost: str
    chosen: str
    why: str


@dataclass(frozen=True)
class Story:
    """What is told beside the schedule."""

    options: Sequence[Option] = ()
    conflict: Sequence[str] = ()
    ways: Sequence[str] = ()
    changes: Sequence[str] = ()
    assumptions: Sequence[str] = field(default=())
    summary: str = ""
    ideas: Sequence[str] = ()
    portfolio: Sequence[str] = ()


def facts(project: Project, schedule: Schedule) -> list[tuple[str, str]]:
    """The few figures that come first."""
    zone = ZoneInfo(schedule.zone)

    def day(moment: datetime) -> str:
        return f"{moment.astimezone(zone):%a %d %b %Y}"

    quality = (
        "proven to be the best" if schedule.quality == "optimal" else f"at most {schedule.gap:.1%} above the bound"
    )
    out = [("Start", day(schedule.start)), ("End", day(schedule.end)), ("Tasks", str(len(schedule.tasks))),
           ("Critical", str(sum(t.critical for t in schedule.tasks))), ("Quality", quality)]  # fmt: skip
    if schedule.buffer_end is not None:
        out.append(("Kept free until", day(schedule.buffer_end)))
    if schedule.cost:
        out.append(("Cost", f"{schedule.cost:,.2f}"))
    if schedule.confidence is not None:
        c = schedule.confidence
        out.append(("Kept with 50 / 80 / 95 %", f"{day(c.p50)} / {day(c.p80)} / {day(c.p95)}"))
    return [*out, ("Strategy", project.strategy.aim.value.replace("_", " "))]


def to_html(project: Project, schedule: Schedule | None, story: Story, today: datetime | None = None) -> str:
    """One page that needs nothing else."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template("report.html.j2").render(
        title=project.title,
        facts=facts(project, schedule) if schedule else [("Schedule", "none can be made")],
        chart=Markup(gantt(project, schedule, today)) if schedule else "",
        header=HEADER,
        tasks=rows(project, schedule) if schedule else [],
        options=story.options,
        conflict=story.conflict,
        ways=story.ways,
        changes=story.changes,
        assumptions=_assumptions(schedule, story),
        summary=story.summary,
        ideas=story.ideas,
        portfolio=story.portfolio,
    )


def _assumptions(schedule: Schedule | None, story: Story) -> list[str]:
    return [*story.assumptions, *(schedule.assumptions if schedule else ())]


def to_markdown(project: Project, schedule: Schedule | None, story: Story) -> str:
    """The same without the chart."""
    out = [f"# {project.title}", "", *([story.summary, ""] if story.summary else [])]
    if schedule is not None:
        out += [f"- {name}: {value}" for name, value in facts(project, schedule)]
        out += ["", "| " + " | ".join(HEADER) + " |", "|" + "---|" * len(HEADER)]
        out += ["| " + " | ".join(str(c).replace("|", "\\|") for c in row) + " |" for row in rows(project, schedule)]
    for title, lines in (
        ("Why it cannot be done", story.conflict),
        ("Ways out", story.ways),
        ("Options that were tried", [f"{o.name}: ends {o.end}, costs {o.cost}. {o.why}" for o in story.options]),
        ("Other plans", story.portfolio),
        ("Ideas", story.ideas),
        ("What was changed", story.changes),
        ("What was assumed", _assumptions(schedule, story)),
    ):
        if lines:
            out += ["", f"## {title}", "", *(f"- {line}" for line in lines)]
    return "\n".join(out) + "\n"
