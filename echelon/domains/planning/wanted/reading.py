"""Read by rule what a goal says of days, hours, people and money. A rule only reads what can mean nothing else.

What speaks of such things and is not understood is kept as `unread`: the plan says that nothing holds it.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any

from echelon.domains.planning.wanted.contracts import Away, Due, Event, Length, Wanted
from echelon.domains.planning.wanted.dates import Named, days_in
from echelon.domains.planning.wanted.parts import is_in_order, things_of
from echelon.domains.planning.wanted.words import words_of

_SENTENCES = re.compile(r"(?<!\b\d\.)(?<!\b\d\d\.)(?<=[.!?;])\s+(?=[A-ZÄÖÜ\"(])|\n+")
_NUMBERS = {
    word: n
    for words in ("one two three four five six seven eight nine ten eleven twelve",
                  "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf")
    for n, word in enumerate(words.split(), 1)
} | {"eine": 1, "einen": 1, "a": 1, "an": 1}  # fmt: skip
_N = rf"(?P<n>\d+(?:[.,]\d+)?|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_FLAGS = re.IGNORECASE
_BY = re.compile(
    r"(?:\b(?:by|before|no later than|not later than|latest(?: on| by)?|deadline(?: is| for it is)?:?"
    r"|due(?: on| by| date)?:?|spätestens(?: am)?"
    r"|bis spätestens(?: zum)?|frist(?: ist)?:?|(?:finish|finished|done|ready|complete|completed"
    r"|over) (?:on|until|till)"
    r"|bis zum|bis)\s+)(?:the\s+|am\s+)?$", _FLAGS,
)  # fmt: skip
_GERMAN_END = re.compile(r"\b(?:fertig|abgeschlossen|erledigt|muss|soll|spätestens|frist)", _FLAGS)
_FROM = re.compile(
    r"(?:\b(?:not|nicht|never|no earlier than|nie)(?:\s+\w+){0,3}?\s+(?:before|vor)|\bno earlier than"
    r"|\bearliest(?: on)?|\bfrühestens(?: am)?"
    r"|\b(?:starts?|begins?|starting|beginning|beginnt|startet)(?: only)?(?: on| in| from| at| am|"
    r" im)?|^start:?|\bonly from|\berst ab|\bnicht vor)"
    r"\s+(?:the\s+|dem\s+)?$", _FLAGS,
)  # fmt: skip
_OFF = re.compile(
    r"\b(?:away|absent|on holiday|on leave|on vacation|not (?:there|available|here)|unavailable"
    r"|closed|no work|nobody works|not work"
    r"|urlaub|abwesend|nicht da|verreist|geschlossen|zu)\b", _FLAGS,
)  # fmt: skip
_ALL = re.compile(
    r"\b(?:it|everything|all|whole|we|project|plan|work|deadline|due|finish|be ready|be done|fertig|alles|es|frist)\b",
    _FLAGS,
)
_SOFT = re.compile(
    r"\b(?:ideally|if possible|preferably|hopefully|would be nice|wenn möglich|am liebsten|idealerweise)\b", _FLAGS
)
_WEEKDAYS = {
    name: number for number, names in enumerate(
        ("monday mondays montag montags", "tuesday tuesdays dienstag dienstags",
         "wednesday wednesdays mittwoch mittwochs", "thursday thursdays donnerstag donnerstags",
         "friday fridays freitag freitags", "saturday saturdays samstag samstags",
         "sunday sundays sonntag sonntags")) for name in names.split()
}  # fmt: skip
_DAYS = (
    rf"(?P<days>(?:(?:{'|'.join(_WEEKDAYS)}|weekends?|wochenenden?|am wochenende)(?:\s*,\s*|\s+(?:and"
    rf"|or|und|oder)\s+(?:on\s+)?)?)+)"
)
_CLOSED = re.compile(
    rf"\b(?:no(?:body)?(?:\s+work\w*)?|not|never|nothing|closed|keine?\w*(?:\s+arbeit\w*)?|nicht"
    rf"|nie)(?:\s+\w+){{0,4}}?\s+(?:on|at|am|an)?\s*{_DAYS}(?!\w)",
    _FLAGS,
)
_ONLY = re.compile(
    rf"\b(?:only|nur)(?:\s+\w+){{0,3}}?\s+(?:on|at|am|an)\s+(?:the\s+)?{_DAYS}(?!\w)|\b(?:on|at"
    rf"|am)\s+{_DAYS.replace('<days>', '<other>')}\s+only\b",
    _FLAGS,
)
_ONE_DAY = "|".join(name for name in _WEEKDAYS if not name.endswith("s"))
_EVENT = re.compile(
    rf"\b(?:on|am|an einem)\s+(?:an?\s+|the\s+|next\s+|one\s+)?(?P<day>{_ONE_DAY})\b(?!\s+(?:to|until|till|bis)\b)",
    _FLAGS,
)
_NAMES_DAYS = re.compile(rf"\b(?:{'|'.join(_WEEKDAYS)}|weekends?)\b", _FLAGS)
_HOURS = re.compile(
    rf"\b{_N}\s*(?:hours?|h|stunden?)(?:\s+(?:of work|for it|time))?\s*(?:a|per|each|every|/|pro|die"
    rf"|in der|am)\s*(?P<per>week|woche|day|tag|evening|abend)\b",
    _FLAGS,
)
_WHO = r"(?:people|persons?|of us|helpers?|workers?|colleagues|volunteers|developers?|leute|personen|helfer)"
_PEOPLE = re.compile(
    rf"\b(?:there (?:are|is)|we are|we have|with|by)?\s*(?:only|just|nur)\s+{_N}\s+{_WHO}\b|\b(?:team"
    rf" of|there (?:are|is)|we are|wir sind|we have)\s+{_N}\s+{_WHO}\b(?!\s+(?:com|eat|attend|invited"
    rf"|guests))"
    .replace("(?P<n>", "(?P<n1>", 1).replace("(?P<n>", "(?P<n2>", 1)
    + rf"|\b{_N}\s+{_WHO}\s+(?:work|works|do|does|can|are|is|will|share|build|help)\b", _FLAGS,
)  # fmt: skip
_ALONE = re.compile(
    r"\b(?:I\b[^.]{0,20}\b(?:alone|by myself|on my own)|ich\b[^.]{0,20}\ballein)\b|\bI (?:have|can"
    r" spend|can work)\b[^.]{0,20}\bhours?\b"
)
_TEAM = re.compile(r"^\W*(?:team|people|helpers|who|wer)\s*:\s*(?P<names>.+)$", _FLAGS)
_BUDGET = re.compile(
    r"\b(?:budget(?:\s+(?:of|is|ist|von))?:?|cost(?:s)? (?:at most|no more than|not more than)|(?:not"
    r"|nicht) (?:cost )?(?:more|mehr) than|at most|höchstens)\s*"
    r"(?:at most\s+|about\s+)?(?P<sign>[€$£]|eur|usd)?\s*(?P<n>\d[\d.,' ]*\d|\d)\s*(?P<k>k|thousand"
    r"|tausend)?\s*(?P<unit>€|\$|£|euros?|eur|dollars?|usd|pounds?|chf|franken)?",
    _FLAGS,
)
_TAKES = re.compile(
    rf"(?P<what>[^,;:.]{{3,60}}?)\s+(?:takes?|lasts?|dauert|braucht|will take)\s+(?:at least\s+"
    rf"|about\s+|around\s+|etwa\s+)?{_N}"
    r"\s*(?P<unit>hours?|h|days?|weeks?|stunden?|tage?|wochen?)\b", _FLAGS,
)  # fmt: skip
_MINUTES = {"h": 60, "s": 60, "d": 480, "t": 480, "w": 2400}
_STRATEGIES = (
    (
        re.compile(
            r"\bas (?:cheap|cheaply) as possible"
            r"|\b(?:at|for) the (?:least|lowest) cost|\bso günstig wie möglich", _FLAGS,
        ), "least_cost"
    ),
    (
        re.compile(
            r"\bas (?:soon|early|quickly|quick|fast) as possible"
            r"|\basap\b|\bso (?:früh|schnell) wie möglich", _FLAGS,
        ), "earliest_end"
    ),
    (re.compile(r"\bas late as possible|\bso spät wie möglich", _FLAGS), "latest_start"),
)  # fmt: skip
_SPEAKS = re.compile(
    r"\b(?:must not|never|at most|no more than|not more than|at least|budget|euros?|per week|a week"
    r"|hours|deadline|only)\b|[€$£]",
    _FLAGS,
)

Values = dict[str, Any]


def read(text: str, today: date) -> Wanted:
    """What a text asks for; `today` is the day from which days without a year are counted."""
    sentences = [" ".join(s.split()) for s in _SENTENCES.split(text) if s.strip(" #*-")]
    found: Values = {}
    heard: list[str] = []
    unread: list[str] = []
    title = words_of(sentences[0]) if sentences else set[str]()
    for number, said in enumerate(sentences):
        more = _read(said, today, number == 0 or bool(words_of(said) & title))
        if more:
            heard.append(said)
            _merge(found, more)
        elif (
            any(d.last >= today for d in days_in(said, today))
            or _NAMES_DAYS.search(said)
            or (number and _SPEAKS.search(said))
        ):
            unread.append(said)
    return Wanted.model_validate({
        **found, "things": things_of(text), "is_in_order": is_in_order(text),
        "heard": tuple(dict.fromkeys(heard)), "unread": tuple(dict.fromkeys(unread)),
    })  # fmt: skip


def _merge(found: Values, more: Values) -> None:
    """Of what is said twice the stricter; lists grow."""
    for key, value in more.items():
        if isinstance(value, tuple):
            known: tuple[Any, ...] = found.get(key, ())
            new: tuple[Any, ...] = value  # pyright: ignore[reportUnknownVariableType]
            found[key] = (*known, *(v for v in new if v not in known))
        elif key == "start":
            found[key] = max(value, found.get(key, value))
        elif key in ("deadline", "people", "budget", "hours_a_week", "hours_a_day"):
            found[key] = min(value, found.get(key, value))
        else:
            found[key] = value


def _read(said: str, today: date, is_about_all: bool) -> Values:
    out: Values = {}
    for named in days_in(said, today):
        _merge(out, _day(said, named, is_about_all) or {})
    for reader in (_weekdays, _hours, _people, _money, _length, _aim):
        out |= reader(said)
    return out | (_event(said) if is_about_all and not {"only", "closed", "away"} & set(out) else {})


def _day(said: str, named: Named, is_about_all: bool) -> Values | None:
    before = said[: named.begin]
    if _FROM.search(before) and (named.is_month or named.first == named.last):
        return {"start": named.first}
    if (off := _OFF.search(said)) is not None and not _BY.search(before):
        who = re.match(r"\W*([A-ZÄÖÜ][\w-]+)\s+(?:is|are|was|will|has|ist|hat)\b", said)
        name = (
            who[1]
            if who and who[1].lower() not in ("the", "it", "we", "everybody", "everyone", "this", "that", "er", "sie")
            else ""
        )
        return {
            "away": (
                Away(
                    who="" if off[0].lower() in ("closed", "no work", "geschlossen") else name,
                    first=named.first,
                    last=named.last,
                ),
            )
        }
    by = _BY.search(before)
    if by is None or (by[0].lower().startswith("bis") and not _GERMAN_END.search(said)):
        return None
    is_before = by[0].lower().strip().startswith("before")
    last = named.first - timedelta(days=1) if is_before else named.last
    if not is_about_all and not _ALL.search(said):
        return {"dues": (Due(says=said, by=last),)}
    return {"deadline": last, "is_hard": not _SOFT.search(said)}


def _weekdays(said: str) -> Values:
    if (only := _ONLY.search(said)) is not None:
        return {"only": _numbers(only["days"] or only["other"])}
    closed = [n for m in _CLOSED.finditer(said) for n in _numbers(m["days"])]
    return {"closed": tuple(closed)} if closed else {}


def _event(said: str) -> Values:
    """The weekday on which what is planned takes place; a day that something has to be ready by is another matter."""
    days = [m for m in _EVENT.finditer(said) if not _BY.search(said[: m.start()]) and not _OFF.search(said)]
    return {"event": Event(weekdays=_numbers(days[0]["day"]), says=said)} if len(days) == 1 else {}


def _numbers(days: str) -> tuple[int, ...]:
    words = re.findall(r"\w+", days.lower())
    found = {_WEEKDAYS[w] for w in words if w in _WEEKDAYS}
    return tuple(sorted(found | ({5, 6} if any(w.startswith(("weekend", "wochenend")) for w in words) else set())))


def _hours(said: str) -> Values:
    out: Values = {}
    for match in _HOURS.finditer(said):
        key = "hours_a_week" if match["per"].lower() in ("week", "woche") else "hours_a_day"
        out[key] = _number(match["n"])
    return {k: v for k, v in out.items() if v}


def _people(said: str) -> Values:
    if (team := _TEAM.match(said)) is not None:
        names = [n.strip(" .") for n in re.split(r",|;|\band\b|\bund\b|&", team["names"]) if n.strip(" .")]
        if names and all(len(n.split()) <= 2 and n[0].isupper() for n in names):
            return {"team": tuple(names)}
    if (found := _PEOPLE.search(said)) is not None:
        count = int(_number(found["n1"] or found["n2"] or found["n"]))
        return {"people": count} if count else {}
    return {"people": 1} if _ALONE.search(said) else {}


def _money(said: str) -> Values:
    for match in _BUDGET.finditer(said):
        if match["unit"] or match["sign"] or match[0].lower().startswith("budget"):
            amount = float(re.sub(r"[.,' ](?=\d{3}\b)", "", match["n"]).replace(" ", "").replace(",", "."))
            return {"budget": amount * (1000 if match["k"] else 1)}
    return {}


def _length(said: str) -> Values:
    found = [
        Length(what=m["what"], minutes=round(_number(m["n"]) * _MINUTES[m["unit"][0].lower()]), says=m[0].strip())
        for m in _TAKES.finditer(said)
        if words_of(m["what"])
    ]
    return {"lengths": tuple(found)} if found else {}


def _aim(said: str) -> Values:
    name = next((name for pattern, name in _STRATEGIES if pattern.search(said)), "")
    return {"strategy": name} if name else {}


def _number(text: str) -> float:
    return float(_NUMBERS.get(text.lower()) or text.replace(",", "."))
