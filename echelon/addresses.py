"""Passwords in addresses (scheme://user:password@host): kept out of texts, and read as they are meant."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

_PASSWORD = re.compile(r"(?P<before>\b[a-z][a-z0-9+.-]*://[^\s/:\"']*:)(?P<password>[^\s/\"']+)(?=@)", re.IGNORECASE)
_ANY_PASSWORD = re.compile(r"^(?P<before>[a-z][a-z0-9+.-]*://[^/:@]*:)(?P<password>[^/?#]*)(?=@)", re.IGNORECASE)
_WITH_SLASH = re.compile(r"^[a-z][a-z0-9+.-]*://[^/:@]*:(?P<password>\S+)@", re.IGNORECASE)
"""A slash must be escaped there; where it is not, no reader finds the host, and some repeat what they found."""


def without_password(text: str) -> str:
    """A text in which the passwords of addresses are left out, also those with an unescaped @."""
    return _PASSWORD.sub(r"\g<before>[password]", text) if "://" in text else text


def passwords_of(address: str) -> set[str]:
    """What may be the password of an address, as it is written there: it ends at the last @ of the host, or of all."""
    return {found["password"] for form in (_ANY_PASSWORD, _WITH_SLASH) if (found := form.match(address))}


def escaped_password(address: str) -> str:
    """The address with its password in a form that every reader understands: an @ in it does not begin the host."""
    found = _ANY_PASSWORD.match(address)
    if found is None:
        return address
    return f"{found['before']}{quote(unquote(found['password']), safe='')}{address[found.end() :]}"
