"""Who is at the other end of a connection within this machine: the user that the kernel says has opened it.

Linux lists connections with their users in `/proc/net/tcp` and `tcp6`. One whose user has closed it is listed as root's, so
only established ones count. Elsewhere nobody can tell, and everybody on the machine reaches a server without tokens.
"""

from __future__ import annotations

import ipaddress
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
ESTABLISHED = "01"
ROOT, NOBODY = 0, -1
"""Users: NOBODY for a connection that is not listed, or not any more"""
Address = tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, int]


def is_own(client: tuple[str, int] | None, server: tuple[str, int | None] | None) -> bool:
    """Whether a client of `server` is this user, or root; also where this machine cannot tell."""
    if client is None or server is None or server[1] is None:
        return True
    uid = user_of(_address(*client), _address(server[0], server[1]), _lines())
    return uid in (ROOT, os.geteuid(), None)


def user_of(client: Address, server: Address, lines: Iterable[str] | None) -> int | None:
    """The user that opened a connection from `client` to `server`, NOBODY where it is not there; None without a table."""
    if lines is None:
        return None
    for line in lines:
        fields = line.split()
        is_open = len(fields) > 7 and fields[3] == ESTABLISHED and fields[7].isdecimal()
        if is_open and (_listed(fields[1]), _listed(fields[2])) == (client, server):
            return int(fields[7])
    return NOBODY


def _lines() -> Iterator[str] | None:
    there = [table for table in TABLES if os.access(table, os.R_OK)]
    return (line for table in there for line in table.read_text().splitlines()[1:]) if there else None


def _listed(text: str) -> Address | None:
    """An address as the kernel lists it, `0100007F:1F90`: words of four bytes in the order of this machine, and the port."""
    host, _, port = text.partition(":")
    try:
        words = [int(host[n : n + 8], 16).to_bytes(4, sys.byteorder) for n in range(0, len(host), 8)]
        return _plain(ipaddress.ip_address(b"".join(words))), int(port, 16)
    except (ValueError, OverflowError):
        return None


def _address(host: str, port: int) -> Address:
    return _plain(ipaddress.ip_address(host.partition("%")[0])), port


def _plain(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """An IPv4 address that came as one of IPv6 is the IPv4 address."""
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address
