"""What a worker of Ray does: the call of one job, as a child process, in the caller's folder or in one of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import attrs

from cubespace.experiments.executor import ERRORS, NOT_STARTED, ONE_THREAD, OUTPUT, Job

OF_RAY = ("CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")  # set by Ray for each worker


@attrs.frozen(kw_only=True)
class Answer:
    """What a worker sends back."""

    name: str
    status: int
    seconds: float = 0.0
    tries: int = 1
    refusal: str = ""  # why it could not be started
    output: bytes | None = None  # its output, if it cannot be written to a file of the caller
    errors: bytes | None = None
    files: bytes | None = None  # what it wrote


def call(
    job: Job,
    home: Path | None,
    environment: Mapping[str, str],
    retries: int,
    sent: bytes | None,
) -> Answer:
    """Do a job; ``home`` is the caller's folder, None if this machine does not see it: then its files were ``sent``."""
    if home is not None:
        return _tried(job, job.arguments, job.folder, home, environment, retries)
    assert job.files is not None
    with tempfile.TemporaryDirectory(prefix=f"cube-{os.getpid()}-") as name:
        root, log = Path(name) / "root", Path(name) / "log"
        if sent is not None:
            unpack(sent, root)
        words = tuple(_moved(word, job.files.root, root) for word in job.arguments)
        answer = _tried(job, words, log, Path(name), os.environ, retries)
        output, errors = ((log / file).read_bytes() if (log / file).exists() else b"" for file in (OUTPUT, ERRORS))
        files = pack(root, job.files.writes) if answer.status == 0 else None
        return attrs.evolve(answer, output=output, errors=errors, files=files)


def pack(root: Path, names: Iterable[str]) -> bytes:
    """Return files and folders below a root as one archive; missing ones are left out."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for name in names:
            if (root / name).exists():
                archive.add(root / name, name)
    return content.getvalue()


def unpack(content: bytes, root: Path) -> None:
    """Write the files of an archive below a root."""
    root.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        archive.extractall(root, filter="data")


def _moved(word: str, root: Path, here: Path) -> str:
    """Return a word of a call; if it is a path below the caller's root, the path that it has here."""
    path = Path(word)
    return str(here / path.relative_to(root)) if path.is_relative_to(root) else word


def _tried(
    job: Job, words: Sequence[str], log: Path, home: Path, environment: Mapping[str, str], retries: int
) -> Answer:
    """Run a child process that dies with this worker; if a signal ends it, as for lack of memory, try again."""
    command = [sys.executable, "-P", "-m", "cubespace_executors.child", str(os.getpid()), *words]
    from_ray = {name: os.environ[name] for name in OF_RAY if name in os.environ}
    status, tries, begun = -1, 0, time.monotonic()
    try:
        log.mkdir(parents=True, exist_ok=True)
        while status < 0 and tries <= retries:
            tries, begun = tries + 1, time.monotonic()
            with (log / OUTPUT).open("wb") as output, (log / ERRORS).open("wb") as errors:
                status = subprocess.run(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=errors,
                    cwd=home,
                    env={**environment, **from_ray, **ONE_THREAD},
                    check=False,
                ).returncode
    except OSError as error:
        return Answer(name=job.name, status=NOT_STARTED, tries=tries, refusal=str(error))
    return Answer(name=job.name, status=status, seconds=time.monotonic() - begun, tries=tries)
