from pathlib import Path

import pytest

from cubespace.experiments.executor import ERRORS, TAIL, Job, JobResult, last_words

JOB = Job("one", ("run", "--seed", "1"), Path("jobs/one"))


def test_a_job_can_be_compared_and_kept() -> None:
    assert Job("one", ("run", "--seed", "1"), Path("jobs/one")) == JOB
    assert hash(JOB) == hash(Job("one", ("run", "--seed", "1"), Path("jobs/one")))


@pytest.mark.parametrize(
    ("status", "errors", "reason"),
    [
        (0, "cube: a warning", "exit code 0"),
        (2, "first\ncube: no such thing\n", "exit code 2: cube: no such thing"),
        (-9, "", "ended by SIGKILL"),
        (-45, "", "ended by signal 45"),
    ],
)
def test_how_a_job_ended_is_told_in_words(status, errors, reason) -> None:
    result = JobResult(job=JOB, status=status, errors=errors)
    assert result.reason == reason
    assert result.succeeded == (status == 0)
    assert (result.exit_code is None) == (result.signal is not None) == (status < 0)


def test_the_last_words_are_the_end_of_the_errors(tmp_path) -> None:
    assert last_words(tmp_path) == ""
    (tmp_path / ERRORS).write_bytes("é".encode() * 50_000 + b"\xff the end\n")
    words = last_words(tmp_path)
    assert len(words) == TAIL
    assert words.endswith("\ufffd the end\n")
