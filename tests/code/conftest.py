"""Small repositories that the tests of code work on."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""For tests of properties: a machine may be busy."""

MakeTree = Callable[[Mapping[str, str]], Path]

SHOP = {
    "shop/__init__.py": "",
    "shop/prices.py": (
        '"""Prices of goods."""\n\nVAT_RATE = 0.19\n\n\n'
        'def with_tax(net):\n    """The price with value added tax."""\n    return round(net * (1 + VAT_RATE), 2)\n\n\n'
        "def discount(total, percent):\n    return total - total * percent / 100\n"
    ),
    "shop/retry.py": (
        "from shop.prices import with_tax\n\n\n"
        "class HttpClient:\n"
        '    """Fetches prices over the network."""\n\n'
        "    MAX_ATTEMPTS = 3\n\n"
        "    def fetch(self, url):\n"
        "        for attempt in range(self.MAX_ATTEMPTS):\n"
        "            if self._send(url):\n"
        "                return with_tax(1)\n"
        '        raise ConnectionError("gave up after too many attempts")\n\n'
        "    def _send(self, url):\n"
        "        return bool(url)\n"
    ),
    "shop/basket.py": (
        "from shop.prices import discount\n\n\ndef total(items, percent=0):\n    return discount(sum(items), percent)\n"
    ),
    "tests/test_prices.py": (
        "from shop.prices import discount, with_tax\n\n\n"
        "def test_tax():\n    assert with_tax(100) == 119\n\n\n"
        "def test_discount():\n    assert discount(100, 10) == 90\n"
    ),
    "README.md": "# Shop\n",
}


@pytest.fixture
def make_tree(tmp_path: Path) -> MakeTree:
    """Makes a plain folder of the given files, each time another one."""
    made = iter(range(100))

    def make(files: Mapping[str, str]) -> Path:
        root = tmp_path / f"tree{next(made)}"
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8", newline="")
        root.mkdir(exist_ok=True)
        return root

    return make


@pytest.fixture
def shop(make_tree: MakeTree) -> Path:
    """A small package with tests, as a plain folder."""
    return make_tree(SHOP)


@pytest.fixture
def shop_repository(shop: Path) -> Path:
    """The same as a git repository with two commits."""
    commit_all(shop, "Begin the shop")
    (shop / "shop/retry.py").write_text(SHOP["shop/retry.py"] + "\n\nTIMEOUT = 30\n", encoding="utf-8")
    commit_all(shop, "Give up politely when the server stays silent")
    return shop


def commit_all(root: Path, message: str) -> str:
    """Commit everything in `root`, making the repository when there is none; the commit's id."""
    if not (root / ".git").exists():
        run_git(root, "init", "-q", "-b", "main")
    run_git(root, "add", "-A")
    run_git(root, "commit", "-q", "-m", message)
    return run_git(root, "rev-parse", "HEAD")


def run_git(root: Path, *arguments: str) -> str:
    names = ["-c", "user.name=Tester", "-c", "user.email=tester@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *names, "-C", str(root), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()
