"""Where trials are kept: a journal in a folder, or a database that several processes and machines share."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import optuna
from optuna.storages import BaseStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend

JOURNAL = "journal:"  # before the path of a journal, where a storage is named
SQLITE = "sqlite:"  # before the path of a database in a file
LOCKED_SECONDS = 60  # that a process waits until others have written
TAKEN = ("already exists", "IntegrityError")  # what a database says of a table, or a row, that another process has made
OPENINGS, OPENING_SECONDS = 10, 0.5  # how often, how long apart a database is opened whose tables others are making


def open_storage(address: str) -> BaseStorage | str:
    """Return the storage of an address: a journal by its path, a database by its URL."""
    if address.startswith(JOURNAL):
        return JournalStorage(JournalFileBackend(address.removeprefix(JOURNAL)))
    if address.startswith(SQLITE):  # one process at a time can write: others wait, by default not for long
        return RDBStorage(address, engine_kwargs={"connect_args": {"timeout": LOCKED_SECONDS}})
    return address


def mend_journal(journal: Path) -> None:
    """Cut off half a last line, as a kill or a full disk leaves it: what is written next would be added to it."""
    if not journal.is_file():
        return
    with journal.open("rb+") as file:
        content = file.read()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            file.truncate(whole)


def open_study(address: str, **options: Any) -> optuna.Study:
    """Return a study, made if it is not there; of processes that open a new database at once, one makes the tables."""
    for _ in range(OPENINGS - 1):
        try:
            return optuna.create_study(storage=open_storage(address), load_if_exists=True, **options)
        except Exception as error:  # a database may raise anything
            if not any(words in str(error) for words in TAKEN):
                raise
            time.sleep(OPENING_SECONDS)
    return optuna.create_study(storage=open_storage(address), load_if_exists=True, **options)
