"""Telling other programs when a job ends or waits for a person: a signed POST, tried again, and written down.

What is to be told is a row before it is sent, one for each end of a segment and address, so that no death in between loses
it. It is sent at least once: a receiver that answered and was not heard gets it again, under the same `id`.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from echelon.addresses import without_password
from echelon.crews.hierarchy.vocabulary import ENDS
from echelon.store import tables as t
from echelon.store.records.jobs import JobRow
from echelon.store.store import Store

TOLD = tuple(state.value for state in ENDS)
"""States that are told"""
SIGNATURE = "X-Echelon-Signature"
PAUSES = (5.0, 30.0, 120.0, 600.0, 3600.0, 4 * 3600.0)
"""Seconds before each further try; after the last one it is given up"""
PATIENCE = 10.0
"""Seconds that a receiver has for its answer"""
BACK = 60.0
"""Seconds that a look goes back: rows may be written a little after the time that they bear"""


@dataclass(frozen=True)
class Delivery:
    """A message to a webhook, and how far it got."""

    job: str
    segment: int
    state: str
    url: str
    body: str
    attempts: int
    done: bool
    said: str


def subscribe(store: Store, job: str, url: str, since: float | None = None) -> None:
    """Have `url` told about a job, or about all of them where `job` is ''. Again changes nothing."""
    row = {"job": job, "url": url, "since": time.time() if since is None else since}
    try:
        with store.engine.begin() as c:
            c.execute(t.webhooks.insert().values(**row))
    except IntegrityError:
        return


def note(store: Store) -> int:
    """Write down what is to be told and is not yet; returns how many messages that are."""
    with store.engine.connect() as c:
        hooks = c.execute(sa.select(t.webhooks)).all()
        if not hooks:
            return 0
        since = min(hook.since for hook in hooks)
        ids = list(
            c.execute(sa.select(t.jobs.c.id).where(t.jobs.c.updated >= since, t.jobs.c.state.in_(TOLD))).scalars()
        )
    latest, made = since, 0
    for row in (store.job(job) for job in ids):
        latest = max(latest, row.updated)
        for hook in hooks:
            if hook.job in ("", row.id) and row.updated >= hook.since and row.state in TOLD:
                made += _note(store, row, hook.url)
    with store.engine.begin() as c:
        seen = t.webhooks.c.since < latest - BACK
        c.execute(t.webhooks.update().where(seen).values(since=latest - BACK))
    return made


def _note(store: Store, row: JobRow, url: str) -> int:
    """Write one message down, unless it is there."""
    key = {"job": row.id, "segment": row.segment, "state": row.state, "url": url}
    same = [t.deliveries.c[name] == value for name, value in key.items()]
    with store.engine.connect() as c:
        if c.execute(sa.select(t.deliveries.c.job).where(*same)).first() is not None:
            return 0
    number = hashlib.sha256(json.dumps(list(key.values())).encode()).hexdigest()[:32]
    body = json.dumps({
        "id": number, "job": row.id, "type": row.type, "state": row.state, "reason": row.end.reason, "at": row.updated,
        "questions": list(row.end.questions),
    }, ensure_ascii=False)  # fmt: skip
    try:
        with store.engine.begin() as c:
            c.execute(t.deliveries.insert().values(
                **key, body=body, attempts=0, due=0.0, done=False, said="", at=time.time()
            ))  # fmt: skip
    except IntegrityError:  # another server noted it
        return 0
    return 1


def send_due(store: Store, secret: str, now: Callable[[], float] = time.time) -> list[Delivery]:
    """Send what is due, each once; returns what was tried, as it stands now."""
    rows = t.deliveries.c
    with store.engine.connect() as c:
        due = c.execute(sa.select(t.deliveries).where(rows.done.is_(False), rows.due <= now()).limit(20)).all()
    return [one for row in due if (one := _send(store, row, secret, now())) is not None]


def _send(store: Store, row: sa.Row[Any], secret: str, now: float) -> Delivery | None:
    rows = t.deliveries.c
    mine = (rows.job == row.job) & (rows.segment == row.segment) & (rows.state == row.state) & (rows.url == row.url)
    last = row.attempts >= len(PAUSES)
    later = now + PAUSES[min(int(row.attempts), len(PAUSES) - 1)]
    with store.engine.begin() as c:  # written before it is sent, so that of several servers one sends it
        taken = c.execute(
            t.deliveries.update()
            .where(mine, rows.attempts == row.attempts, rows.done.is_(False))
            .values(attempts=row.attempts + 1, due=later)
        )
        if taken.rowcount == 0:
            return None
    ok, said = _post(row.url, row.body, secret, now)
    done = ok or last
    with store.engine.begin() as c:
        c.execute(
            t.deliveries.update().where(mine).values(done=done, said=said if ok or not last else f"gave up: {said}")
        )
    return Delivery(row.job, row.segment, row.state, row.url, row.body, row.attempts + 1, done, said)


def _post(url: str, body: str, secret: str, now: float) -> tuple[bool, str]:
    """Send one message; whether it was taken, and what came back."""
    import httpx

    headers = {
        "Content-Type": "application/json",
        "User-Agent": "echelon",
        SIGNATURE: signature(body, secret, int(now)),
    }
    try:
        with httpx.Client(timeout=PATIENCE, follow_redirects=False, trust_env=False) as client:
            answer = client.stream("POST", url, content=body.encode(), headers=headers)
            with answer as got:
                return 200 <= got.status_code < 300, f"status {got.status_code}"
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        return False, without_password(f"{type(error).__name__}: {error}")[:300]


def signature(body: str, secret: str, at: int) -> str:
    """`t=TIME,v1=HEX`: HMAC-SHA256 over the time, a point, and the body. A receiver refuses times that are long ago."""
    mac = hmac.new(secret.encode(), f"{at}.{body}".encode(), hashlib.sha256).hexdigest()
    return f"t={at},v1={mac}"


def deliveries(store: Store, job: str) -> list[Delivery]:
    """What was told about a job, to whom, and how far that got."""
    query = sa.select(t.deliveries).where(t.deliveries.c.job == job).order_by(t.deliveries.c.at, t.deliveries.c.url)
    names = Delivery.__dataclass_fields__
    with store.engine.connect() as c:
        return [Delivery(**{name: getattr(row, name) for name in names}) for row in c.execute(query)]
