"""Webhooks of this server: which addresses may be named, and telling them beside everything else."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sqlalchemy.exc import SQLAlchemyError

from echelon.addresses import passwords_of
from echelon.errors import UserError
from echelon.faces.http.problems import Refusal
from echelon.service.webhooks import note, send_due, subscribe

if TYPE_CHECKING:
    from echelon.faces.http.desk import Desk, Options
    from echelon.settings import Environment

SECRET = "ECHELON_WEBHOOK_SECRET"
BEAT = 1.0

__all__ = ["SECRET", "check_address", "check_options", "subscribe", "tell_all"]


def check_options(options: Options, environment: Environment) -> None:
    """Raises UserError for a webhook without a secret, and for one whose address holds a password."""
    if (options.webhook or options.webhook_hosts) and not environment.get(SECRET):
        raise UserError(f"Webhooks are signed; set {SECRET} to a secret that the receiver knows.")
    if options.webhook and (passwords_of(options.webhook) or not urlsplit(options.webhook).hostname):
        raise UserError("--webhook needs an address such as https://HOST/PATH, without a password in it.")


def check_address(desk: Desk, url: str) -> None:
    """Raises Refusal for an address that a job may not name: the server would reach places that the asker does not."""
    allowed = {host.lower() for host in desk.options.webhook_hosts}
    if desk.options.webhook:
        allowed.add((urlsplit(desk.options.webhook).hostname or "").lower())
    try:
        host = (urlsplit(url).hostname or "").lower()
    except ValueError:
        host = ""
    if host not in allowed or passwords_of(url):
        raise Refusal(403, "A job may name webhooks of the hosts in 'echelon serve --webhook-host HOST' only.")


async def tell_all(desk: Desk) -> None:
    """Tell whoever asked to be told, until the server ends."""
    from echelon.faces.http.watches import apart

    store, secret = desk.service.store, desk.service.environment.get(SECRET) or ""
    if not secret:
        return
    if desk.options.webhook:
        url = desk.options.webhook
        await apart(lambda: subscribe(store, "", url))
    while not desk.closing.is_set():
        with contextlib.suppress(SQLAlchemyError):  # the database is away for a moment; nothing is lost meanwhile
            await apart(lambda: (note(store), send_due(store, secret)))
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(desk.closing.wait(), BEAT)
