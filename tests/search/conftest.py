"""What the tests of the search share: a workspace with files, and the two places that an index can be in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from echelon.domains.search.pgvector import PgVectorIndex
from echelon.domains.search.semantic import SearchIndex, SemanticIndex
from tests.support.postgres import postgres_url

__all__ = ["postgres_url"]

FILES = {
    "notes/backup.md": "# Backup\n\nCopies of the data are made every night and kept in another building.\n",
    "notes/fire.md": "# Fire\n\nPeople leave the building by the stairs when the alarm rings.\n",
    "notes/pets.md": "# Pets\n\nDogs and cats may not enter the kitchen.\n",
    "src/invoice_parser.py": "def parse_invoice(text):\n    return InvoiceTotals(text)\n",
    "documents/policy.txt": "The controller shall tell people when their personal data was lost.\n",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with the files above."""
    root = tmp_path / "workspace"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


@pytest.fixture(params=["sqlite", "postgresql"])
def open_index(request: pytest.FixtureRequest) -> Callable[[Path], SearchIndex]:
    """Opens the index of a folder, on each database."""
    if request.param == "sqlite":
        return SemanticIndex
    url = request.getfixturevalue("postgres_url")
    return lambda root: PgVectorIndex(root, url)
