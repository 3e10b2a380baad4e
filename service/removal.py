"""Removing a job: its folder, its rows, and what is recorded of its steps."""

from __future__ import annotations

import shutil

from echelon.engine import durable
from echelon.errors import UserError
from echelon.sharing.shared import SharedFolder
from echelon.store.store import Store


def remove(store: Store, job: str, shared: SharedFolder | None = None) -> None:
    """Remove everything that is kept of a job. Raises UserError for one that runs, and where the folder stays.

    `shared` is where other machines have its folder. What it handed over to others stays theirs. The folder goes first:
    removed half, the job can be removed again.
    """
    row = store.job(job)
    if store.holder(job) is not None:
        raise UserError(f"Job {job} is running; stop it first with: echelon cancel {job}")
    try:
        shutil.rmtree(row.folder)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise UserError(f"The folder {row.folder} cannot be removed: {error.strerror}.") from error
    if shared is not None:
        shared.drop()
    durable.forget(store, job, row.segment)
    store.remove_job(job)
