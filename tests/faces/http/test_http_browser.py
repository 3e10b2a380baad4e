"""The page in a real browser: jobs dropped, watched, answered, approved, cancelled; at 1400 and 390 pixels, for all."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from echelon.crews.hierarchy.states import APPROVALS
from echelon.store.records.events import EventRow, event_of
from echelon.store.records.jobs import Result
from tests.cli.command import SHORT_SAMPLE, Shell
from tests.faces.http.served import Served, add_events, add_job, command, served
from tests.support.browser import CHROMIUM, needs_browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [
    needs_browser,
    pytest.mark.filterwarnings("ignore"),
]
WAITS = "which edition is meant?"
SERVER_AWAY = (
    "ERR_CONNECTION_REFUSED",
    "ERR_INCOMPLETE_CHUNKED_ENCODING",
    "ERR_CONNECTION_RESET",
    "ERR_EMPTY_RESPONSE",
)
"""What a browser itself says of a server that is not there"""
DROP = """([name, data]) => {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0)), transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name, { type: "application/pdf" }));
  const dropped = new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true });
  document.getElementById("drop").dispatchEvent(dropped);
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as one:
        opened = one.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@pytest.fixture
def complaints() -> list[str]:
    return []


@pytest.fixture
def page(browser: Browser, complaints: list[str]) -> Iterator[Page]:
    """A page whose console must stay empty."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    opened = context.new_page()
    opened.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
    opened.on("pageerror", lambda e: complaints.append(str(e)))
    opened.set_default_timeout(60_000)
    yield opened
    context.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("browser") / "home") as one:
        yield one


def asks(server: Served, job: str, came_from: str) -> None:
    asked = Result(reason=WAITS, questions=(WAITS,), snapshot={"position": {"came_from": came_from}})
    add_job(server.store, job, "needs_input", events=2, result=asked)


def test_a_question_is_answered_and_a_milestone_approved(server: Served, page: Page, complaints: list[str]) -> None:
    asks(server, "creator-question", "scope")
    asks(server, "creator-approval", sorted(APPROVALS)[0])
    page.goto(server.url)
    waiting = page.locator("section", has_text="Waiting for you")
    assert all(waiting.locator("li", has_text=f"creator-{n}").count() == 1 for n in ("question", "approval"))
    page.get_by_role("link", name="creator-question").first.click()
    page.get_by_label("Your answer").fill("the second")
    page.get_by_role("button", name="Answer", exact=True).click()
    page.wait_for_selector(".state.submitted")
    given = server.store.job("creator-question").config.given
    assert given is not None
    assert given.said is not None
    assert given.said.text == "the second"
    page.goto(f"{server.url}/page/jobs/creator-approval")
    page.get_by_role("button", name="Approve").click()
    page.wait_for_selector(".state.submitted")
    assert complaints == []


def test_a_job_is_cancelled_by_keyboard(server: Served, page: Page, complaints: list[str]) -> None:
    add_job(server.store, "creator-keyboard")
    page.goto(f"{server.url}/page/jobs/creator-keyboard")
    page.locator("summary", has_text="Stop this job").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(".state.cancelled")
    assert server.store.job("creator-keyboard").state == "cancelled"
    assert complaints == []


def start_by_dropping(page: Page, url: str) -> str:
    """The id of a job that was made by dropping a PDF; the page shows it then."""
    page.goto(f"{url}/page/new")
    page.evaluate(DROP, [SHORT_SAMPLE.name, base64.b64encode(SHORT_SAMPLE.read_bytes()).decode()])
    page.get_by_text(SHORT_SAMPLE.name).wait_for()
    page.get_by_role("button", name="Start the job").click()
    page.wait_for_url("**/page/jobs/creator-*")
    return page.url.rpartition("/")[2]


def test_a_file_is_dropped_and_its_job_made(server: Served, page: Page, complaints: list[str]) -> None:
    job = start_by_dropping(page, server.url)
    assert server.store.job(job).config.inputs[0].endswith(SHORT_SAMPLE.name)
    assert complaints == []


def test_a_job_is_watched_to_its_end_over_a_death_of_the_server(
    tmp_path: Path, page: Page, complaints: list[str]
) -> None:
    """One page from the dropped PDF to the opened report: never loaded again, though its server was killed."""
    shell = Shell(tmp_path)
    with command(shell, "--workers", "1") as first:
        start_by_dropping(page, first.url)
        page.evaluate("window.sameness = 1")
        page.get_by_text("read " + SHORT_SAMPLE.name).wait_for(timeout=120_000)
        assert page.locator(".state.running").count() == 1
        assert complaints == []
        first.kill()
        page.get_by_text("The server does not answer").wait_for()
    with command(shell, "--workers", "1", port=int(first.url.rpartition(":")[2])):
        page.wait_for_selector(".state.completed", timeout=200_000)
        report = page.frame_locator("iframe").locator("body")
        report.get_by_text("obligation").first.wait_for()
        assert page.locator("#away").is_hidden()
        assert page.evaluate("window.sameness") == 1, "the page was loaded again"
    assert [c for c in complaints if not any(name in c for name in SERVER_AWAY)] == []


def test_a_page_changes_while_one_looks(server: Served, page: Page, complaints: list[str]) -> None:
    add_job(server.store, "creator-changes", "submitted", events=1)
    page.goto(f"{server.url}/page/jobs/creator-changes")
    told = event_of("scope", {"milestones": ["A reader finds every requirement."]})
    server.store.add_events("creator-changes", [EventRow(2, server.store.job("creator-changes").created + 1, told)])
    page.get_by_text("A reader finds every requirement.").wait_for()
    add_events(server.store, "creator-changes", 3, 4)
    server.store.set_job("creator-changes", state="completed")
    page.wait_for_selector(".state.completed")
    assert complaints == []


@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_for_everybody(server: Served, browser: Browser, width: int, scheme: str) -> None:
    """axe-core finds nothing serious, nothing sticks out, and all of it is there without JavaScript."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    asks(server, f"creator-axe-{width}-{scheme}", "scope")
    paths = ("/", f"/page/jobs/creator-axe-{width}-{scheme}", "/page/new", "/page/settings", "/page/api", "/login")
    for scripted in (True, False):
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=scripted,  # type: ignore[arg-type]
            bypass_csp=scripted,
        )  # fmt: skip
        page = context.new_page()
        for path in paths:
            answer = page.goto(server.url + path)
            assert answer is not None
            assert answer.status == 200
            assert page.locator("h1").inner_text()
            if scripted:
                assert page.evaluate("document.documentElement.scrollWidth") <= width, path
                bad = [v for v in axe.run(page).response["violations"] if v["impact"] in ("serious", "critical")]
                assert not bad, (path, [(v["id"], [n["html"] for n in v["nodes"]][:3]) for v in bad])
        context.close()
