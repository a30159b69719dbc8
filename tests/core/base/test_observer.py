from pathlib import Path
from typing import Any

import pytest

from cubespace.base.observer import Observer, Observers, following


class Listener(Observer):
    """Remembers what it was told; may fail at one event."""

    def __init__(self, failing: str = "") -> None:
        super().__init__()
        self.failing = failing
        self.told: list[tuple[Any, ...]] = []

    def _hear(self, event: str, *facts: Any) -> None:
        self.told.append((event, *facts))
        if event == self.failing:
            raise RuntimeError("no connection")

    def start(self, folder: Path) -> None:
        self._hear("start", folder)

    def say(self, line: str) -> None:
        self._hear("say", line)

    def epoch(self, row: Any) -> None:
        row["total"] = None  # as a careless tracker might
        self._hear("epoch")

    def plan(self, record: Any) -> None:
        self._hear("plan", record)

    def close(self) -> None:
        self._hear("close")


def test_an_observer_may_ignore_every_event(tmp_path) -> None:
    observer = Observer()
    with following(observer, tmp_path):
        observer.stage("train", "")
        observer.step(1, 2, "")
        observer.say("")
        observer.epoch({})
        observer.plan({})


def test_every_event_is_passed_on_and_the_end_is_told_after_a_failure(tmp_path) -> None:
    own, guest = Listener(), Listener()
    observers = Observers((own,), {"guest": guest})

    def work() -> None:
        with following(observers, tmp_path):
            observers.plan({"problem": "001"})
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        work()
    assert own.told == guest.told == [("start", tmp_path), ("plan", {"problem": "001"}), ("close",)]


def test_a_guest_that_fails_is_named_dropped_and_harms_nobody(tmp_path) -> None:
    own, bad, good = Observer(), Listener("epoch"), Listener()
    lines: list[str] = []
    own.say = lines.append  # type: ignore[method-assign, assignment]
    observers = Observers((own,), {"bad": bad, "good": good})
    row = {"total": 1.0}
    observers.epoch(row)
    observers.epoch(row)
    assert lines == ["observer 'bad' failed at 'epoch' and gets no more events: RuntimeError: no connection"]
    assert bad.told == [("epoch",)]
    assert [event for event, *_ in good.told] == ["say", "epoch", "epoch"]
    assert row == {"total": 1.0}, "a guest changed a result"


def test_guests_that_fail_at_everything_are_each_dropped_once() -> None:
    lines: list[str] = []
    own = Observer()
    own.say = lines.append  # type: ignore[method-assign, assignment]
    observers = Observers((own,), {name: Listener("say") for name in "abc"})
    observers.say("hello")
    assert observers.guests == {}
    assert sum("failed at 'say'" in line for line in lines) == 3


def test_an_error_of_our_own_is_an_error() -> None:
    with pytest.raises(RuntimeError):
        Observers((Listener("plan"),), {}).plan({})
