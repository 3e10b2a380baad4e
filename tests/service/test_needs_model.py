"""A type of job that no rules can do says so before anything is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from echelon.agents.roster import roster
from echelon.errors import UserError
from echelon.service.service import Service
from echelon.settings import Environment

KEY = {"OPENAI_API_KEY": "sk-0123456789abcdef", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}


def service_in(folder: Path, **more: str) -> Service:
    return Service(Environment({"ECHELON_HOME": str(folder / "home"), **more}))


@pytest.mark.parametrize("models", [{}, {"models.qa": "openai/m"}])
def test_without_a_model_nothing_begins_and_the_command_is_named(tmp_path: Path, models: dict[str, str]) -> None:
    jobs, source = service_in(tmp_path, **KEY), tmp_path / "wishes.md"
    source.write_text("# Wishes\n\nWrite one result.\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"needs a language model.* echelon run plain FILE --model openai/NAME") as told:
        jobs.submit("plain", [source], overrides=models)
    assert "\n" not in str(told.value)
    assert not (tmp_path / "home").exists()


def test_with_a_model_for_all_or_for_each_role_it_begins(tmp_path: Path) -> None:
    jobs = service_in(tmp_path, **KEY)
    assert jobs.configuration("plain", "openai/m", None).model == "openai/m"
    assert jobs.configuration("plain", None, {f"models.{role}": "openai/m" for role in roster()}).model == "playbook"
    assert service_in(tmp_path, **KEY, ECHELON_MODEL="openai/m").configuration("plain", None, None).model == "openai/m"


@pytest.mark.parametrize("type_", ["creator", "validator", "planner", "coder"])
def test_types_with_rules_of_their_own_need_none(tmp_path: Path, type_: str) -> None:
    assert service_in(tmp_path).configuration(type_, None, None).playbook == type_
