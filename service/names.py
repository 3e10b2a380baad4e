"""Which job a person means: by its id, by the beginning of one, or the latest."""

from __future__ import annotations

from echelon.errors import UnknownName, UserError
from echelon.store.store import Store

LAST = "last"


def job_named(store: Store, text: str) -> str:
    """The id of the job: `text` itself, the only one that begins (or goes on after its type) with it, or `last`.

    Raises UnknownName where there is none, and UserError where several are meant.
    """
    ids = [row.id for row in store.all_jobs()]
    if text in ids:
        return text
    if text == LAST and ids:
        return str(ids[0])
    meant = [job for job in ids if text and (job.startswith(text) or job.rpartition("-")[2].startswith(text))]
    if len(meant) == 1:
        return str(meant[0])
    if meant:
        shown = ", ".join(sorted(meant)[:5])
        raise UserError(
            f"'{text}' may be {len(meant)} jobs: {shown}{', ...' if len(meant) > 5 else ''}; say more of the id."
        )
    raise UnknownName("job", text, ids)
