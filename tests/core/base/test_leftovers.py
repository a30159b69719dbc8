"""Litter of killed processes is removed, and nothing else."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from cubespace.base import leftovers
from cubespace.base.errors import InputError
from cubespace.base.leftovers import evidence_folder, refuse_links, remove_parts, remove_temporary_folders


@pytest.fixture
def dead() -> int:
    """The number of a process that is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.fixture
def temporary(tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_half_written_files_of_dead_processes_are_removed_in_all_folders(tmp_path, dead) -> None:
    (tmp_path / "problems" / "000").mkdir(parents=True)
    killed = WRITE_AND_DIE.format(folder=str(tmp_path / "problems" / "000"))
    subprocess.run([sys.executable, "-c", killed], check=False)
    assert list((tmp_path / "problems" / "000").iterdir()) != []
    litter = tmp_path / f".data.npz.{dead}-0123abcd.part"
    others = [tmp_path / name for name in ("data.npz", ".hidden", "mine.part", f".x.{os.getppid()}-0123abcd.part")]
    for file in (litter, *others):
        file.write_text("x")
    remove_parts(tmp_path)
    assert sorted(tmp_path.rglob("*")) == sorted([*others, tmp_path / "problems", tmp_path / "problems" / "000"])


WRITE_AND_DIE = """
import os, pathlib
from cubespace.base.files import replacing
with replacing(pathlib.Path({folder!r}) / "result.json") as file:
    file.write(b"half")
    os.kill(os.getpid(), 9)
"""


def test_a_half_written_file_of_a_reused_number_goes_when_it_is_old(tmp_path) -> None:
    litter = tmp_path / f".data.npz.{os.getppid()}-0123abcd.part"
    litter.touch()
    os.utime(litter, (0, 0))
    remove_parts(tmp_path)
    assert not litter.exists()


def test_evidence_is_kept_for_a_day(temporary, dead, monkeypatch) -> None:
    monkeypatch.setattr(os, "getpid", lambda: dead)
    old, young = evidence_folder(), evidence_folder()
    os.utime(old, (0, 0))
    remove_temporary_folders()
    assert (old.exists(), young.exists()) == (False, True)
    assert young.parent == temporary


def test_temporary_folders_of_dead_processes_are_removed(temporary, dead) -> None:
    (temporary / f"cube-{dead}-abc_12" / "inner").mkdir(parents=True)
    (temporary / "target").mkdir()
    (temporary / f"cube-{dead}-link").symlink_to(temporary / "target")
    for name in ("cube-notes", f"cube-{os.getppid()}-abc"):
        (temporary / name).mkdir()
    remove_temporary_folders()
    left = {entry.name for entry in temporary.iterdir()}
    assert left == {"cube-notes", f"cube-{os.getppid()}-abc", "target", f"cube-{dead}-link"}


def test_temporary_folders_of_others_stay(temporary, dead, monkeypatch) -> None:
    (temporary / f"cube-{dead}-abc").mkdir()
    monkeypatch.setattr(leftovers.os, "geteuid", lambda: os.getuid() + 1)
    remove_temporary_folders()
    assert (temporary / f"cube-{dead}-abc").is_dir()


def test_a_linked_folder_is_refused_and_a_linked_file_is_not(tmp_path) -> None:
    run, elsewhere = tmp_path / "run", tmp_path / "elsewhere"
    (run / "problems" / "000").mkdir(parents=True)
    elsewhere.mkdir()
    (run / "data.npz").symlink_to(elsewhere / "data.npz")
    refuse_links(run)
    (run / "problems" / "000" / "fd-ff").symlink_to(elsewhere)
    with pytest.raises(InputError, match=r"fd-ff' is a link"):
        refuse_links(run)
