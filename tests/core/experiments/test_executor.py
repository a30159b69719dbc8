from pathlib import Path

import pytest

from cubespace.experiments.executor import ERRORS, TAIL, Job, JobQueue, JobResult, in_order, last_words

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


def waiting(name: str, *after: str) -> Job:
    return Job(name, (), Path(name), after)


def test_jobs_are_ordered_by_what_they_need_and_otherwise_as_given() -> None:
    jobs = [waiting("d", "b", "c"), waiting("c", "a"), waiting("e"), waiting("b", "a"), waiting("a")]
    assert [job.name for job in in_order(jobs)] == ["e", "a", "c", "b", "d"]
    for wrong in ([waiting("a", "nobody")], [waiting("a", "b"), waiting("b", "a")]):
        with pytest.raises(ValueError, match="job 'a' needs a job that is not there or that needs it in turn"):
            in_order(wrong)


def test_what_needs_a_failed_job_is_left_out_once() -> None:
    queue = JobQueue([waiting("a"), waiting("b", "a"), waiting("c", "a", "b"), waiting("d")])
    first = queue.next()
    assert first is not None
    results = list(queue.ended(first.name, False))
    assert [(result.job.name, result.errors) for result in results] == [
        ("b", "not started: it needs a, which failed"),
        ("c", "not started: it needs b, which failed"),
    ]
    last = queue.next()
    assert last is not None
    assert (last.name, queue.next()) == ("d", None)
