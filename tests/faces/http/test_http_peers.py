"""Whose connection it is, out of what the kernel lists."""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.faces.http.guard.peers import NOBODY, TABLES, Address, is_own, user_of

V4 = st.ip_addresses(v=4).map(ipaddress.IPv4Address)
V6 = st.ip_addresses(v=6).map(ipaddress.IPv6Address).filter(lambda a: a.ipv4_mapped is None)
ADDRESSES = st.tuples(V4 | V6, st.integers(1, 65535))
ROWS = st.lists(
    st.tuples(ADDRESSES, ADDRESSES, st.sampled_from(["01", "04", "05", "06", "08", "0A"]), st.integers(0, 2**31))
)


def listed(address: Address, mapped: bool = False) -> str:
    """As the kernel writes it."""
    host = address[0].packed
    host = bytes(10) + b"\xff\xff" + host if mapped and len(host) == 4 else host
    words = [int.from_bytes(host[n : n + 4], sys.byteorder) for n in range(0, len(host), 4)]
    return "".join(f"{word:08X}" for word in words) + f":{address[1]:04X}"


def line(mine: Address, other: Address, state: str, uid: int, mapped: bool = False) -> str:
    at = f"{listed(mine, mapped)} {listed(other, mapped)}"
    return f"   0: {at} {state} 00000000:00000000 00:00000000 00000000 {uid:5d}        0 12345 1 0000000000000000 20 4"


@given(ROWS, ADDRESSES, ADDRESSES, st.integers(0, 2**31), st.booleans())
def test_a_connection_is_found_among_others(
    rows: list[tuple[Address, Address, str, int]], client: Address, server: Address, uid: int, mapped: bool
) -> None:
    others = [line(*row) for row in rows if row[:2] != (client, server)]
    backwards = line(server, client, "01", uid + 1)
    lines = [*others, *([backwards] if client != server else []), line(client, server, "01", uid, mapped), "nonsense"]
    assert user_of(client, server, lines) == uid


@given(ADDRESSES, ADDRESSES, st.sampled_from(["02", "04", "05", "06", "07", "08", "0A"]))
def test_one_that_was_closed_is_nobodys(client: Address, server: Address, state: str) -> None:
    """The kernel lists it as root's by then."""
    assert user_of(client, server, [line(client, server, state, 0)]) == NOBODY
    assert user_of(client, server, []) == NOBODY
    assert user_of(client, server, None) is None


@given(st.lists(st.text(max_size=80), max_size=5))
def test_whatever_is_listed_is_no_error(lines: list[str]) -> None:
    address = (ipaddress.IPv4Address("127.0.0.1"), 8600)
    assert user_of(address, address, lines) == NOBODY


@pytest.mark.skipif(not TABLES[0].exists(), reason="this system lists no connections")
@pytest.mark.parametrize(("family", "host"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")])
def test_a_connection_of_this_process_is_ones_own(family: socket.AddressFamily, host: str) -> None:
    with closing(socket.socket(family)) as server:
        try:
            server.bind((host, 0))
        except OSError:
            pytest.skip(f"this machine has no {host}")
        server.listen()
        at = server.getsockname()[:2]
        with closing(socket.create_connection(at)) as client:
            mine = client.getsockname()[:2]
            assert is_own(mine, at)
            addresses = [(ipaddress.ip_address(h), p) for h, p in (mine, at)]
            lines = [x for table in TABLES if table.exists() for x in table.read_text().splitlines()]
            assert user_of(addresses[0], addresses[1], lines) == os.geteuid()
        assert not is_own(mine, at), "closed, so nobody's"
