"""A long run of chaos can be done in parts: what is kept, what is done again, and when the page can be written."""

import importlib
import sys
import time
from functools import partial
from pathlib import Path

import pytest


@pytest.fixture
def kept_module(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    yield importlib.import_module("chaos_cases.kept")
    for name in [name for name in sys.modules if name.startswith("chaos_cases")]:
        del sys.modules[name]


@pytest.fixture
def cases(kept_module):
    """Ten cases that write down that they were done; the third fails as often as it is told to."""
    verdict = importlib.import_module("chaos_cases.harness").Verdict
    done: list[int] = []

    def case(number: int):
        def do():
            done.append(number)
            complaints = ("lost: something",) if number == 3 and done.count(3) == 1 else ()
            return verdict(group="class", name="as the case calls itself", complaints=complaints)

        return do

    return done, [("class", f"case {number}", case(number)) for number in range(10)]


def test_slices_together_do_every_case_once(kept_module, cases, tmp_path) -> None:
    done, named = cases
    missing = []
    for part in ("1/3", "2/3", "1/3", "3/3"):
        kept = kept_module.Kept.read(tmp_path / "verdicts.jsonl")
        verdicts, left = kept_module.do_cases(named, kept, kept_module.Part.read(part))
        missing.append(left)
    assert missing == [6, 3, 3, 0]
    assert sorted(done) == list(range(10))
    assert [verdict.name for verdict in verdicts] == [f"case {number}" for number in range(10)], "in order, by name"


def test_what_failed_is_done_again_if_asked_and_counted(kept_module, cases, tmp_path) -> None:
    done, named = cases
    for again in (False, False, True, True):
        kept = kept_module.Kept.read(tmp_path / "verdicts.jsonl")
        verdicts, _ = kept_module.do_cases(named, kept, kept_module.Part(), again=again)
    assert done.count(3) == 2
    assert len(done) == 11
    assert [(verdict.name, verdict.complaints) for verdict in kept.repeated] == [("case 3", ("lost: something",))]
    assert not any(verdict.complaints for verdict in verdicts)


def test_no_case_is_begun_after_the_time(kept_module, cases, tmp_path) -> None:
    done, named = cases
    verdicts, missing = kept_module.do_cases(named, kept_module.Kept(tmp_path / "v"), kept_module.Part(), until=0.0)
    assert (done, verdicts, missing) == ([], [], 10)


def test_half_a_line_of_a_killed_call_does_not_count(kept_module, cases, tmp_path) -> None:
    done, named = cases
    file = tmp_path / "verdicts.jsonl"
    kept_module.do_cases(named, kept_module.Kept(file), kept_module.Part())
    file.write_bytes(file.read_bytes()[:-5])
    _, missing = kept_module.do_cases(named, kept_module.Kept.read(file), kept_module.Part())
    assert missing == 0
    assert len(done) == 11
    assert len(kept_module.Kept.read(file).verdicts) == 10, "the line after it is whole"


def test_names_are_unique_and_slices_are_checked(kept_module, cases, tmp_path) -> None:
    _, named = cases
    with pytest.raises(ValueError, match="two cases of 'class' are called 'case 0'"):
        kept_module.do_cases([*named, named[0]], kept_module.Kept(tmp_path / "v"), kept_module.Part())
    for wrong in ("0/3", "4/3", "a/b", "3", ""):
        with pytest.raises(ValueError, match="no part such as 2/8"):
            kept_module.Part.read(wrong)


def test_the_page_says_what_is_missing_what_failed_and_what_was_done_again(kept_module) -> None:
    verdict = importlib.import_module("chaos_cases.harness").Verdict
    page = importlib.import_module("chaos_cases.page")
    good = verdict(group="kill", name="one", counts={"train": 2, "data": 1}, cpu_seconds=4.0)
    bad = verdict(group="links", name="two", complaints=("lost: something",), cpu_seconds=1.0)
    text = page.markdown(page.summary([good, bad], 0, [bad], 1234))
    assert "**Not finished: 1,234 of the cases are missing.**" in text
    assert "| kill -9 of `cube`, all stages | 3 | 0 | 0 | - | 4 |" in text
    assert "| links in a run folder | 1 | 1 | 0 | lost 1 | 1 |" in text
    assert "| results lost or changed | 1 |" in text
    assert "1 failed at first and were done again:\n\n- links, `two`: lost: something\n\n1 failures:" in text
    whole = page.markdown(page.summary([good], 0, [], 0))
    assert "Not finished" not in whole
    assert "failed at first" not in whole


def test_a_limit_is_excused_only_by_what_a_bare_timer_waits_as_well(kept_module) -> None:
    yardstick = importlib.import_module("chaos_cases.yardstick")
    harness = importlib.import_module("chaos_cases.harness")
    assert yardstick.too_late(3.3, 3.0, 0.1) == ""
    complaint = yardstick.too_late(3.5, 3.0, 0.1)
    assert complaint == "limit: 3.50 s of 3 s"
    for waits, excused in ((0.0, False), (0.1, False), (0.25, True)):
        excuse = partial(yardstick.late_machine, limit=3.0, within=0.1, delay=lambda _, waits=waits: waits)
        stand, reasons = harness.excusing(excuse, [complaint, "traceback"])
        assert stand == ["traceback"] if excused else [complaint, "traceback"]
        assert reasons == ["limit: 3.50 s of 3 s; a bare timer waited 0.25 s"] * excused


def test_the_work_of_the_bare_timer_is_not_put_down_to_the_machine(kept_module) -> None:
    yardstick = importlib.import_module("chaos_cases.yardstick")
    begun = time.monotonic()
    waited = yardstick.machine_delay(0.05)
    assert 0 <= waited < time.monotonic() - begun - 0.05, "starting two interpreters is work"
