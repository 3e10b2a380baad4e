"""A Gantt chart as SVG: bars, critical path, slack, milestones, links, today's line, and the load of each resource."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from html import escape
from zoneinfo import ZoneInfo

from echelon.domains.planning.contracts.project import Project
from echelon.domains.planning.contracts.schedule import Schedule, ScheduledTask

ROW, LABEL, WIDTH, HEAD, LOAD = 22, 190, 960, 34, 46
MOST_ROWS = 400


@dataclass(frozen=True)
class _Scale:
    begin: datetime
    end: datetime

    def x(self, moment: datetime) -> float:
        whole = (self.end - self.begin).total_seconds() or 1.0
        return round(LABEL + (WIDTH - LABEL) * (moment - self.begin).total_seconds() / whole, 1)


def gantt(project: Project, schedule: Schedule, today: datetime | None = None) -> str:
    """The chart as one `<svg>`; it scales to the width it is given. Long plans show their first tasks."""
    tasks = sorted(schedule.tasks, key=lambda t: (t.start, t.end, t.id))[:MOST_ROWS]
    pad = max(timedelta(hours=6), (schedule.end - schedule.start) / 50)
    scale = _Scale(schedule.start - pad, max(schedule.end, today or schedule.end) + pad)
    resources = [r for r in project.resources if any(n.resource == r.id for t in schedule.tasks for n in t.needs)]
    height = HEAD + ROW * len(tasks) + 16 + LOAD * len(resources) + 10
    rows = {t.id: HEAD + ROW * n + ROW / 2 for n, t in enumerate(tasks)}
    parts = [*_axis(scale, height, ZoneInfo(schedule.zone)), *_links(project, tasks, rows, scale)]
    for task in tasks:
        parts += _bar(task, rows[task.id], scale, schedule)
    top = HEAD + ROW * len(tasks) + 16
    for number, resource in enumerate(resources):
        parts += _load(project, schedule, resource.id, resource.capacity, top + LOAD * number, scale)
    if today is not None and scale.begin <= today <= scale.end:
        parts.append(f'<line class="today" x1="{scale.x(today)}" x2="{scale.x(today)}" y1="18" y2="{height}"/>')
    inside = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="Gantt chart of {escape(schedule.project, quote=True)}">\n{inside}\n</svg>'
    )


def _axis(scale: _Scale, height: float, zone: ZoneInfo) -> list[str]:
    """Lines at days, weeks or months, whichever leaves room for their names."""
    days = max(1, (scale.end - scale.begin).days)
    step = next(s for s in (1, 2, 7, 14, 28, 91, 365, 10**6) if days / s <= 12)
    day = (scale.begin.astimezone(zone) + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    if step >= 7:
        day += timedelta(days=(-day.weekday()) % 7)
    out: list[str] = []
    while day < scale.end:
        x = scale.x(day)
        out.append(f'<line class="grid" x1="{x}" x2="{x}" y1="18" y2="{height}"/>')
        out.append(f'<text class="axis" x="{x + 2}" y="14">{day:%d %b}</text>')
        day += timedelta(days=step)
    return out


def _bar(task: ScheduledTask, y: float, scale: _Scale, schedule: Schedule) -> list[str]:
    kind = "done" if task.done else "critical" if task.critical else "task"
    name = escape(task.title if len(task.title) <= 28 else task.title[:27] + "…")
    tip = escape(f"{task.id}: {task.title}, {_when(task.start, schedule)} to {_when(task.end, schedule)}")
    out = [f'<text class="label" x="4" y="{y + 4}">{name}</text>']
    if task.start == task.end:
        x = scale.x(task.start)
        shape = f"M{x - 6} {y}L{x} {y - 6}L{x + 6} {y}L{x} {y + 6}Z"
        return [*out, f'<path class="{kind} milestone" d="{shape}"><title>{tip}</title></path>']
    if task.slack and not task.done:
        late = min(scale.end, task.end + timedelta(minutes=task.slack * 3))
        out.append(f'<line class="slack" x1="{scale.x(task.end)}" x2="{scale.x(late)}" y1="{y}" y2="{y}"/>')
    for start, end in [(p.start, p.end) for p in task.pieces] or [(task.start, task.end)]:
        x, width = scale.x(start), max(2.0, scale.x(end) - scale.x(start))
        out.append(
            f'<rect class="{kind}" x="{x}" y="{y - 7}" width="{width:.1f}" height="14" rx="2"><title>{tip}</title></rect>'
        )
    return out


def _when(moment: datetime, schedule: Schedule) -> str:
    return f"{moment.astimezone(ZoneInfo(schedule.zone)):%a %d %b %H:%M}"


def _links(project: Project, tasks: list[ScheduledTask], rows: dict[str, float], scale: _Scale) -> list[str]:
    placed = {t.id: t for t in tasks}
    out: list[str] = []
    for spec in project.tasks:
        for link in spec.after:
            if spec.id not in rows or link.after not in rows or len(rows) > 150:
                continue
            one, two = placed[link.after], placed[spec.id]
            x1 = scale.x(one.end if link.kind[0] == "F" else one.start)
            x2 = scale.x(two.end if link.kind[1] == "F" else two.start)
            out.append(f'<path class="link" d="M{x1} {rows[link.after]}V{rows[spec.id]}H{x2}"/>')
    return out


def _load(project: Project, schedule: Schedule, name: str, capacity: int, top: float, scale: _Scale) -> list[str]:
    """Units that are held over time, as steps under a line at the capacity."""
    steps: dict[datetime, int] = {}
    for task in schedule.tasks:
        units = sum(n.units for n in task.needs if n.resource == name)
        for start, end in [(p.start, p.end) for p in task.pieces] or [(task.start, task.end)]:
            if units and not task.done:
                steps[start] = steps.get(start, 0) + units
                steps[end] = steps.get(end, 0) - units
    out = [f'<text class="label" x="4" y="{top + 24}">{escape(name[:26])}</text>']
    level, unit, base = 0, (LOAD - 12) / capacity, top + LOAD - 6
    moments = sorted(steps)
    for here, following in zip(moments, [*moments[1:], moments[-1]] if moments else [], strict=True):
        level += steps[here]
        if level:
            x, width = scale.x(here), max(0.5, scale.x(following) - scale.x(here))
            over, high = "over" if level > capacity else "load", level * unit
            out.append(f'<rect class="{over}" x="{x}" y="{base - high:.1f}" width="{width:.1f}" height="{high:.1f}"/>')
    out.append(
        f'<line class="capacity" x1="{LABEL}" x2="{WIDTH}" y1="{base - capacity * unit}" y2="{base - capacity * unit}"/>'
    )
    return out
