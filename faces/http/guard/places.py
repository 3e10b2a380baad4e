"""From where somebody comes: names of the server that are answered to, and pages that may ask it to change something."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Names:
    """The names of this server. A name that somebody else's DNS points here is none: its pages would read ours."""

    def __init__(self, host: str, more: tuple[str, ...] = ()) -> None:
        """`host` is the address that is listened on; `more` are names that proxies are called by."""
        mine = {host, *more, "localhost"}
        if not is_loopback(host):
            mine.add(socket.gethostname())
        self._names = {name.lower().rstrip(".") for name in mine}
        self._loopback_only = is_loopback(host)

    def answers_to(self, header: str) -> bool:
        """Whether a Host header names this server."""
        name = _name(header)
        if name is None:
            return False
        if name in self._names:
            return True
        try:
            address = ipaddress.ip_address(name)  # nobody's DNS has a say in an address
        except ValueError:
            return False
        return address.is_loopback or not self._loopback_only

    def is_own_page(self, origin: str, host: str) -> bool:
        """Whether an Origin header is of a page of this server, which was asked as `host`."""
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower() and self.answers_to(host)


def may_change(names: Names, host: str, origin: str | None, site: str | None) -> bool:
    """Whether a changing request comes from a page of this server, or from no page at all (Origin, Sec-Fetch-Site)."""
    if origin is not None:
        return names.is_own_page(origin, host)
    return site in (None, "same-origin", "none")


def _name(header: str) -> str | None:
    """The host of a Host header without its port, None for what is none."""
    if not header or any(c in header for c in "/@\\?# \t,"):
        return None
    try:
        parts = urlsplit(f"//{header}")
        parts.port  # noqa: B018 - raises ValueError for a port that is none
        return (parts.hostname or "").rstrip(".") or None
    except ValueError:
        return None
