"""What MCP servers say of their tools: what is refused, shown, approved, and for which place. With real servers."""

from __future__ import annotations

from typing import Any

import pytest

from echelon.errors import UserError
from echelon.servers.definition import Definition
from echelon.servers.settings import ServerTool
from echelon.service import mcp_tools
from echelon.service.service import Service
from tests.servers.poisoned import HARMLESS, POISONED
from tests.servers.shop import Place, approve, changed, look
from tests.support.mcp_server import http_server, tool
from tests.support.scripted import submit_plain

OURS = ("submit_verdict", "read_file", "job_complete")


@pytest.mark.parametrize("way", POISONED)
def test_a_poisoned_definition_is_refused(way: str) -> None:
    assert Definition("shop", POISONED[way]).problems(ServerTool(), OURS)


@pytest.mark.parametrize("raw", HARMLESS, ids=lambda d: d["name"])
def test_a_definition_that_describes_a_tool_is_not(raw: dict[str, Any]) -> None:
    assert not Definition("shop", raw).problems(ServerTool(), OURS)


@pytest.mark.parametrize("name", ["", "a b", "x" * 70, "../../etc", "pay\n", "pаy", "a.b"])
def test_a_name_that_no_model_server_takes_is_refused(name: str) -> None:
    assert Definition("shop", tool(name)).problems(ServerTool())


def test_with_words_of_the_users_own_none_of_the_servers_is_shown() -> None:
    raw = POISONED["do not tell"] | {"inputSchema": POISONED["in a default"]["inputSchema"]}
    own = ServerTool(description="Pays an invoice.")
    assert Definition("shop", raw).problems(ServerTool())
    assert not Definition("shop", raw).problems(own)
    shown = Definition("shop", raw).approved(own)
    assert shown.description == "Pays an invoice."
    assert shown.parameters["properties"] == {"to": {"type": "string"}}
    assert Definition("shop", POISONED["in an enum"]).problems(own), "values of the schema are shown all the same"


def test_the_hash_is_that_of_the_whole_definition() -> None:
    hashes = {Definition("shop", raw).sha256 for raw in changed()}
    assert len(hashes) == len(changed())


# approval


def test_a_tool_that_nobody_approved_cannot_be_used(jobs: Service, place: Place) -> None:
    with pytest.raises(UserError, match=r"Nobody approved the tool shop__pay .*echelon mcp-tools plain"):
        submit_plain(jobs, {}, overrides=place.settings())
    assert not jobs.store.all_jobs(), "nothing is made"
    approve(jobs, place.settings())
    submit_plain(jobs, {}, overrides=place.settings())
    assert not place.happened


def test_no_poisoned_definition_is_approved_or_called(jobs: Service, place: Place) -> None:
    for raw in POISONED.values():
        place.told["tools"] = [raw]
        with http_server(place.told) as url:
            settings = place.settings(command=(), url=url, tools={"pay": None})
            config = jobs.layers("plain", "scripted/none", settings)
            seen = look(jobs, config)
            assert [s.standing for s in seen] == ["refused"] and seen[0].problems
            with pytest.raises(UserError, match="not what has this code"):
                mcp_tools.approve_seen(jobs.store.engine, {}, config, mcp_tools.code_of(seen))
            with pytest.raises(UserError, match="Nobody approved"):
                submit_plain(jobs, {}, overrides=settings)
    assert not place.happened


def test_what_changed_after_it_was_shown_is_not_approved(jobs: Service, place: Place) -> None:
    with http_server(place.told) as url:
        config = jobs.layers("plain", "scripted/none", place.settings(command=(), url=url))
        code = mcp_tools.code_of(look(jobs, config))
        place.told["tools"] = [tool("get_ticket"), tool("pay", "Pays twice.")]
        with pytest.raises(UserError, match="not what has this code"):
            mcp_tools.approve_seen(jobs.store.engine, {}, config, code)


def test_an_approval_is_for_one_place(jobs: Service, place: Place) -> None:
    approve(jobs, place.settings())
    with http_server(place.told) as url, pytest.raises(UserError, match="Nobody approved"):
        submit_plain(jobs, {}, overrides=place.settings(command=(), url=url))


@pytest.mark.parametrize("role", ["scope_agent", "qa", "assessor", "task_planner", "explainer"])
def test_a_role_that_only_reads_gets_no_tool_that_does_more(jobs: Service, place: Place, role: str) -> None:
    with pytest.raises(UserError, match="only reads"):
        mcp_tools.check(jobs.layers("plain", "scripted/none", place.settings(roles=[role])))


@pytest.mark.parametrize(
    "wrong",
    [
        {"url": "http://127.0.0.1/"},
        {"command": []},
        {"command": [], "url": "ftp://x"},
        {"command": [], "url": "http://shop.test/", "headers": {"Authorization": "SHOP"}},
        {"tools": {}},
    ],
)
def test_settings_that_cannot_hold_are_refused(place: Place, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        place.server(**wrong)


@pytest.mark.parametrize("name", ["todo", "submit", "a_b", "Shop", "a" * 21, "job"])
def test_a_name_of_ours_is_no_name_for_a_server(jobs: Service, place: Place, name: str) -> None:
    with pytest.raises(UserError, match="no name for a server"):
        jobs.layers("plain", "scripted/none", {"mcp": {name: place.settings()["mcp"]["shop"]}})
