"""The galleries of worlds and of failures: what was typed, what the program said, what a judge says of the plans."""

from __future__ import annotations

import json

from generator import records

PICTURES = "pictures"
SAID_AT_MOST = 4  # lines of a failure; more are counted


def failures() -> str:
    """Return a section per failure, from results/failures.json."""
    found = _cases("failures")
    return "\n".join(map(_section, found)) if found else "Not made yet: `python docs/failures.py`.\n"


def gallery() -> str:
    """Return a strip per world, from results/gallery.json, then one per failure that has a picture."""
    worlds = _cases("gallery")
    if not worlds:
        return "Not made yet: `python docs/gallery.py`.\n"
    lines = [line for each in worlds for line in _strip(each)]
    bad = [each for each in _cases("failures") if "picture" in each]
    lines += ["## Failures", "", "Each with its warning, and more of them: [when it fails](when-it-fails.md).", ""]
    return "\n".join([*lines, *(line for each in bad for line in _strip(each))])


def _strip(case: records.Record) -> list[str]:
    """Return a case with its command and its strip; of its words only how many plans are right."""
    counts = ""
    if "instances" in case:
        valid = "nobody judges" if case["valid"] is None else f"{case['valid']} valid, {case['optimal']} shortest"
        counts = f" Learner `{case['learner']}`; of {case['instances']} problems {case['found']} found, {valid}."
    lines = [f"### {case['title']}", "", f"{case['why']}{counts}", "", f"    {case['command']}", ""]
    return [*lines, *([f"![{case['title']}]({PICTURES}/{case['picture']})", ""] if "picture" in case else [])]


def _cases(name: str) -> list[records.Record]:
    path = records.RESULTS / f"{name}.json"
    return list(json.loads(path.read_text("utf-8")).values()) if path.is_file() else []


def _section(failure: records.Record) -> str:
    lines = [f"### {failure['title']}", "", failure["why"], "", f"    {failure['command']}", ""]
    if "picture" in failure:
        lines += [f"![{failure['title']}: a plan that went wrong]({PICTURES}/{failure['picture']})", ""]
    lines += [_outcome(failure), "", *_said(failure["said"]), ""]
    return "\n".join(lines)


def _outcome(failure: records.Record) -> str:
    """Return how it ended: the verdict on the plans, if there are any, and the exit code."""
    code = f"exit code {failure['exit_code']}"
    if "instances" not in failure:
        return f"It ends with {code}."
    counts = f"{failure['valid']} valid, {failure['optimal']} shortest"
    judged = "nobody judges them" if failure["valid"] is None else counts
    return f"Of {failure['instances']} problems: {failure['found']} plans found, {judged}; {code}."


def _said(lines: list[str]) -> list[str]:
    """Return the warnings, or that there was none."""
    if not lines:
        return ["**No warning.**"]
    shown = [f"> {line}" for line in lines[:SAID_AT_MOST]]
    more = len(lines) - len(shown)
    return ["\n>\n".join(shown), *([f"\nAnd {more} more {'line' if more == 1 else 'lines'}."] if more else [])]


def rows_that_fail() -> str:
    """Return the rows of our own tables in which a tenth or more of the plans are missing or not valid."""
    lines = [["table", "data", "plans found/valid/optimal"]]
    for row in records.rows("recipe"):
        text = row["plans"][row["planners"].index("fd-lmcut")]
        lines += _bad("[the recipe](recipe.md)", f"{row['name']}, seed {row['seed']}", text, _asked(row["problems"]))
    for row in records.rows("worlds"):
        plans = row.get("plans", {})
        parts = plans.get("fd-lmcut", "").split()
        lengths = [f", {length} steps" for length in row.get("lengths", ())] or [""] * len(parts)
        for part, length in zip(parts, lengths, strict=True):
            name = f"{row['name']}, seed {row['seed']}{length}"
            lines += _bad("[third-party worlds](worlds.md)", name, part, 10 if length else 30)
    for each in records.matched(records.records("paper-followup"), measure="plans", planner="fd-blind"):
        if not each.get("instances"):
            continue
        text = f"{each['found']}/{each['valid']}/{each['optimal']}"
        lines += _bad("[the follow-up's instances](results/paper-followup.md)", each["domain"], text, each["instances"])
    return records.markdown(lines)


def _asked(problems: list[list[str]]) -> int:
    """Return how many instances the commands of a row ask for."""
    return sum(int(words[words.index("--instances") + 1]) if "--instances" in words else 30 for words in problems)


def _bad(table: str, name: str, text: str, instances: int) -> list[list[str]]:
    if " + " in text:  # a tower has fewer states at some distances than were asked for
        return []
    plans = records.Plans.read(text, instances)
    return [[table, name, f"{plans} of {instances}"]] if plans.valid < 0.9 * plans.instances else []
