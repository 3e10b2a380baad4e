"""What roles say of a plan beside its data: reasons, ideas, files. No day or price in it differs from the solver's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import PurePosixPath
from zoneinfo import ZoneInfo

from echelon.crews.planner import files
from echelon.domains.planning.contracts.plan import TriedOption
from echelon.domains.planning.wanted.dates import days_in
from echelon.engine.workspace import Workspace

_COMPACT = re.compile(r"\b(\d{4})(\d\d)(\d\d)(?=T\d{6}|\b)")
_LEAST = (
    (
        re.compile(r"\b(?:cheapest|least (?:cost|expensive)|lowest (?:cost|price)|costs? (?:the )?least)\b", re.IGNORECASE),
        "cost",
    ),
    (re.compile(r"\b(?:earliest|soonest|fastest|quickest|shortest|ends? first)\b(?!_)", re.IGNORECASE), "end"),
    (re.compile(r"\b(?:lowest|smallest) peak\b|\bfewest (?:tasks|people|at once)\b", re.IGNORECASE), "peak"),
)  # fmt: skip
_MONEY = re.compile(
    r"(?:[€$£]\s*|\bcosts?\s+(?:only\s+|just\s+)?)(\d[\d.,]*)|\b(\d[\d.,]*)\s*(?:€|\$|£|euros?\b|dollars?\b)",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:all|everything|every (?:task|step)|the (?:work|project))\b[^.\n]{0,30}\b(?:is|are|was|were"
    r"|has been|have been)\s+"
    r"(?:\w+\s+)?(?:finished|done|completed?)\b", re.IGNORECASE,
)  # fmt: skip


def strange_days(workspace: Workspace, text: str) -> list[str]:
    """Days that a text names on which nothing of the plan begins or ends, and which neither goal nor inputs name."""
    found = files.schedule(workspace)
    if found is None:
        return []
    zone = ZoneInfo(found.zone)
    moments = [m for t in found.tasks for m in (t.start, t.end - timedelta(seconds=1), t.end)]
    roadmap = files.roadmap(workspace)
    moments += [o.end for o in roadmap.options_tried] if roadmap is not None else []
    moments += [found.confidence.p50, found.confidence.p80, found.confidence.p95] if found.confidence else []
    moments += [m for m in (found.buffer_end, found.start) if m is not None]
    known = {m.astimezone(zone).date() for m in moments}
    now = files.today(workspace)
    today = now.date() if now else found.start.date()
    known |= {d for said in (files.context(workspace).goal, *_inputs(workspace)) for d in _days(said, today)} | {today}
    return [f"{d}" for d in _days(text, today) if d not in known]


def _inputs(workspace: Workspace) -> list[str]:
    folder = workspace.root / "documents"
    texts = [p.read_text(encoding="utf-8", errors="replace") for p in sorted(folder.glob("*.txt"))]
    return [*texts, *(said.text for said in files.answers(workspace))]


def _days(text: str, today: date) -> list[date]:
    out = [d for named in days_in(text, today) if not named.is_month for d in (named.first, named.last)]
    for match in _COMPACT.finditer(text):
        try:
            out.append(date(*map(int, match.groups())))
        except ValueError:
            continue
    return out


def contradicted(why: str, chosen: TriedOption, tried: Sequence[TriedOption]) -> str:
    """What of a reason the figures of the options do not bear out, in a sentence; '' where nothing."""
    for pattern, figure in _LEAST:
        bare = re.sub("|".join(o.name for o in tried), " ", why)
        if pattern.search(bare) and getattr(chosen, figure) > min(getattr(o, figure) for o in tried):
            return f"of the options, {chosen.name} has not the least {figure}"
    ends = {o.end.date() for o in tried} | {(o.end - timedelta(seconds=1)).date() for o in tried}
    if days := [d for d in _days(why, chosen.end.date()) if d not in ends]:
        return f"no option ends on {days[0]}"
    costs = {round(o.cost) for o in tried}
    for match in _MONEY.finditer(why):
        said = re.sub(r"[.,](?=\d{3}\b)", "", (match[1] or match[2]).rstrip(".,")).replace(",", ".")
        if round(float(said)) not in costs:
            return f"no option costs {said}"
    others = "|".join(o.name for o in tried if not o.chosen)
    if others and re.search(
        rf"\b(?:{others})\s+(?:is|was)\s+(?:taken|chosen)|\b(?:take|took|choose|chose)\s+(?:{others})\b", why
    ):
        return f"{chosen.name} is taken"
    return ""


def unasked(workspace: Workspace, own: Sequence[str], request: str) -> list[str]:
    """Files in output/ beside the plan's that nobody asked for, or that say what the plan does not; with what to do."""
    out: list[str] = []
    asked = request.casefold()
    found = files.schedule(workspace)
    for path in workspace.files("output"):
        if path in own:
            continue
        name = PurePosixPath(path).name
        if name.casefold() not in asked:
            out.append(f"'{path}' was not asked for; delete it: what the plan says stands in '{own[1]}'")
            continue
        text = workspace.path(path).read_text(encoding="utf-8", errors="replace")
        if days := strange_days(workspace, text):
            out.append(
                f"'{path}' says {days[0]}, and nothing of the plan is on that day; take its days from '{own[1]}'"
            )
        elif _DONE.search(text) and found is not None and not all(t.done for t in found.tasks):
            out.append(f"'{path}' says that the work is done, and it is only planned; say what is planned")
    return out
