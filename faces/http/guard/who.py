"""Who somebody is: by a bearer token, by a session cookie, or, on the loopback of a server without tokens, anybody.

Tokens stand in the environment: ECHELON_TOKEN (admin), ECHELON_OPERATOR_TOKEN, ECHELON_READER_TOKEN, each perhaps several,
separated by commas. A session is a signed cookie: the server keeps none, and a restart ends none. Another token, or another
key file, ends them all.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import json
import os
import secrets
import time
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

from echelon.errors import UserError
from echelon.settings import Environment

COOKIE = "echelon_session"
SECONDS = 12 * 3600
"""How long a session lasts"""
SHORT = 16
"""Characters below which a token can be guessed"""


class Role(IntEnum):
    """What somebody may do; each may do what the ones below may."""

    READER = 1
    """look"""
    OPERATOR = 2
    """start, answer, approve, cancel"""
    ADMIN = 3
    """set ceilings and every setting that may be set from elsewhere"""


TOKENS = {"ECHELON_READER_TOKEN": Role.READER, "ECHELON_OPERATOR_TOKEN": Role.OPERATOR, "ECHELON_TOKEN": Role.ADMIN}


@dataclass(frozen=True)
class Session:
    """What a cookie says: a role, until when (seconds since 1970), and a number that no other session has."""

    role: Role
    until: float
    nonce: str


class Gate:
    """Tells who somebody is."""

    def __init__(self, tokens: dict[str, Role], key: bytes) -> None:
        """`tokens` may be empty: then everybody who reaches the server is its admin."""
        self._hashes = [(_hash(token), role) for token, role in tokens.items()]
        mixed = b"".join(sorted(value + bytes([role]) for value, role in self._hashes))
        self._key = hashlib.sha256(key + mixed).digest()

    @property
    def is_open(self) -> bool:
        """Whether there is no token at all."""
        return not self._hashes

    def role_of(self, token: str) -> Role | None:
        """The role of a token, None for a wrong one. Takes the same time whatever is wrong about it."""
        given, found = _hash(token), 0
        for value, role in self._hashes:
            found = max(found, role * hmac.compare_digest(given, value))
        return Role(found) if found else None

    def new_session(self, role: Role, now: float | None = None) -> tuple[str, Session]:
        """A cookie's value, and what it says."""
        session = Session(role, (time.time() if now is None else now) + SECONDS, secrets.token_urlsafe(18))
        body = _text(json.dumps([int(session.role), session.until, session.nonce]).encode())
        return f"{body}.{self._sign('session', body)}", session

    def session(self, cookie: str, now: float | None = None) -> Session | None:
        """What a cookie says, None for one that is not ours, was changed, or is over."""
        body, _, signature = cookie.partition(".")
        if not _same(signature, self._sign("session", body)):
            return None
        with contextlib.suppress(ValueError, TypeError):
            role, until, nonce = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
            session = Session(Role(role), float(until), str(nonce))
            return session if session.until > (time.time() if now is None else now) else None
        return None

    def csrf(self, session: Session) -> str:
        """What a changing form of this session must carry."""
        return self._sign("csrf", session.nonce)

    def is_csrf(self, session: Session, given: str) -> bool:
        """Whether a form came from a page of this session."""
        return _same(given, self.csrf(session))

    def _sign(self, what: str, text: str) -> str:
        return _text(hmac.new(self._key, f"{what}:{text}".encode("utf-8", "replace"), hashlib.sha256).digest())


def tokens_of(environment: Environment) -> dict[str, Role]:
    """The tokens that are set, and what each allows: the most, where one stands at two places."""
    found: dict[str, Role] = {}
    for name, role in TOKENS.items():
        for token in (environment.get(name) or "").split(","):
            if token.strip():
                found[token.strip()] = role
    return found


def key_of(home: Path) -> bytes:
    """The key that sessions are signed with, from a file of the home that is made when it is first needed."""
    path = home / "server.key"
    try:
        with contextlib.suppress(FileExistsError):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(secrets.token_bytes(32))
        key = path.read_bytes()
    except OSError as error:
        raise UserError(f"The key of the server, {path}, cannot be used: {error.strerror}.") from error
    if len(key) < 32:
        raise UserError(f"The key of the server, {path}, is not whole; remove it, and a new one is made.")
    return key


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def cookies_of(header: str) -> dict[str, str]:
    """Names and values of a Cookie header."""
    pairs: list[Any] = [part.strip().partition("=") for part in header.split(";")]
    return {name: value for name, _, value in pairs if name}
