"""The pages of docs/results: a table each, first what was run and cut, then its exceptions; commands folded."""

from __future__ import annotations

import re
from collections.abc import Sequence

import attrs

from generator import records
from generator.records import Plans, Record

SHORTEST = ("fd-blind", "fd-lmcut", "fd-ms", "fd-gc-astar")  # planners that promise shortest plans
CUT = re.compile(r"(?:Cut(?: for two slow cores)?|[A-Z][a-z' ]+ cut for two slow cores): .*?\.(?= [A-Z]|$)")
SHOWN = 6  # exceptions; more are counted
OLD_PRESET = (
    "**Of version 0.2.** The trainings of preset `paper` in this table had no dropout and no hidden layers in the "
    "action and effect networks, three picture terms instead of two, and effects as observed. That preset is no more: "
    "variant `before` of `examples/paper/hypotheses.toml` is as near to it as today's settings come. They have not "
    "been repeated yet."
)


@attrs.frozen(kw_only=True)
class Entry:
    """A table: its file in results/, its heading, what it answers, and the command that makes it."""

    stem: str
    title: str
    about: str
    command: str
    old_preset: bool = False  # as long as its file says nothing of its runs, which were those of an older version


def _paper(name: str, title: str, about: str, *, old_preset: bool = False) -> Entry:
    stem = name if name.startswith("paper-") else f"paper-{name}"
    command = (
        f"cube matrix examples/paper/{name}.toml -o runs/{name}; python benchmarks/paper_tables.py {name} runs/{name}"
    )
    return Entry(stem=stem, title=title, about=about, command=command, old_preset=old_preset)


def _benchmark(stem: str, title: str, about: str) -> Entry:
    return Entry(stem=stem, title=title, about=about, command=f"python benchmarks/{stem}.py")


ENTRIES = (
    _paper("network", "The paper's network, trained our way", "losses and plans in six worlds"),
    _paper("network-apply", "Apply modules that are trained equally well", "MinMax and Smooth beside Back-to-Logit"),
    _paper("network-preconditions", "Learners of preconditions", "six of them on the same networks"),
    _paper("network-parts", "From the paper's action head to our training", "one part at a time"),
    _paper("network-others", "The network where it was not tuned", "towers, a 15-puzzle, noise, shifts"),
    _paper("paper-whole", "The authors' network, trained whole", "three trainings and the best of them, two judges"),
    _paper("hypotheses", "What the authors' settings are worth", "each respect taken back by itself, on LightsOut"),
    _paper("table1", "Table 1", "losses of the paper's variants by its own method", old_preset=True),
    _paper("table1-plain", "Table 1 on small worlds", "the same with a dense network, trained to its end"),
    _paper("table2", "Table 2, right", "plans by five planners"),
    _paper("ama2", "Table 2, left", "AMA2, the paper's baseline", old_preset=True),
    _paper("ama2-plain", "AMA2 with a dense network", "the same baseline, and on the bits of places"),
    _paper("hanoi", "Towers of nine disks", "the paper's instances, three steps from the goal", old_preset=True),
    _paper("board15", "The 15-puzzle by the paper's method", "with the settings of its authors, cut"),
    _paper("parts", "From the paper's method to places", "one part at a time", old_preset=True),
    _paper("effort", "Effort of searches", "expansions, time, states known from training"),
    _paper("distances", "Far from the goal", "an 8-puzzle up to 25 steps"),
    _paper("followup", "The follow-up's instances", "seventeen sets of problems"),
    Entry(
        stem="tuning",
        title="A genetic tuning",
        about="what it finds against the preset it began with, on fresh seeds",
        command="python benchmarks/tuning.py",
    ),
    _benchmark("lifting", "Lifted models", "objects, predicates, schemas, and plans with them"),
    _benchmark("matrix", "What a matrix costs", "the driver and the executors"),
    _benchmark("pruning", "What pruning saves", "of a tuning, and whether it finds the same best trial"),
    _benchmark("planning", "Setting up a search", "from bits to a planner's answer"),
    _benchmark("latent_search", "Speed of latent search", "expansions per second"),
    _benchmark("render", "Speed of drawing", "frames per second"),
    _benchmark("train_step", "Speed of a training step", "against a matrix product"),
    _benchmark("times", "What make takes", "make run and make test by the clock"),
)
BY_STEM = {entry.stem: entry for entry in ENTRIES}


def index() -> str:
    """Return a line per table, with a link to its page."""
    lines = []
    for entry in ENTRIES:
        measured = (records.RESULTS / f"{entry.stem}.md").is_file()
        missing = "" if measured else " *(not measured yet)*"
        lines.append(f"- [{entry.title}](results/{entry.stem}.md): {entry.about}{missing}")
    return "\n".join(lines) + "\n"


def table(stem: str) -> str:
    """Return a table with what was cut before it, its exceptions, and its command folded behind it."""
    entry, path = BY_STEM[stem], records.RESULTS / f"{stem}.md"
    if not path.is_file():
        return f"**Not measured yet.** `{entry.command}`\n"
    _, _, body = path.read_text("utf-8").partition("\n")
    old = entry.old_preset and not isinstance(records.contents(stem), dict)
    *cuts, rest = _first(_folded(body))
    parts = [OLD_PRESET if old else "", *cuts, exceptions(stem), rest]
    return "\n\n".join(filter(None, parts)).strip("\n") + "\n"


def exceptions(stem: str) -> str:
    """Return where problems have no valid plan, and where plans should be shortest and are not."""
    found = records.records(stem) if isinstance(records.contents(stem), list | dict) else []
    cells = [each for each in found if each.get("measure") == "plans" and not each.get("summary")]
    cells = [each for each in cells if each.get("instances") and each.get("valid") is not None]
    if not cells:
        return ""
    wrong = [each for each in cells if each["valid"] < each["instances"]]
    longer = [
        each
        for each in cells
        if each not in wrong and each["planner"].split(":")[0] in SHORTEST and each["optimal"] < each["valid"]
    ]
    if not wrong and not longer:
        return f"**No exceptions:** in all {len(cells)} cells, every problem has a valid plan, shortest where promised."
    said = [
        f"{what} in {len(several)} of {len(cells)} cells ({_named(several)})"
        for several, what in ((wrong, "problems without a valid plan"), (longer, "valid plans that are not shortest"))
        if several
    ]
    return f"**Exceptions:** {'; '.join(said)}."


def _named(cells: Sequence[Record]) -> str:
    """Return cells and their plans, the worst first."""
    worst = sorted(cells, key=lambda each: (each["valid"] + each["optimal"]) / each["instances"])
    axes = ("domain", "variant", "apply", "plan.length", "planner")
    shown = [
        f"{' '.join(str(each[axis]) for axis in axes if axis in each)} "
        f"{Plans(each['found'], each['valid'], each['optimal'], each['instances'])} of {each['instances']}"
        for each in worst[:SHOWN]
    ]
    more = len(worst) - len(shown)
    return "; ".join([*shown, *([f"and {more} more"] if more else [])])


def _folded(body: str) -> str:
    """Return a page with its commands behind the tables, unless it has folded them itself."""
    if "<details>" in body:
        return body
    commands: list[str] = []

    def keep(match: re.Match[str]) -> str:
        commands.append(match[0].strip())
        return "\n"

    body = re.sub(r"^`python .*$", keep, body, flags=re.MULTILINE)
    body = re.sub(r" ?Command: .*$", keep, body, flags=re.MULTILINE)
    inside = "\n\n".join(commands)
    folded = f"\n\n<details><summary>Command, seeds, machine</summary>\n\n{inside}\n\n</details>\n"
    return body.rstrip("\n") + (folded if commands else "\n")


def _first(body: str) -> list[str]:
    """Return the paragraphs of a page, what was cut before the rest of what it says of itself."""
    paragraphs = [part for part in re.sub(r"\n{3,}", "\n\n", body).strip("\n").split("\n\n") if part]
    already = [part for part in paragraphs if part.startswith("**")]
    if already:
        return [*already, "\n\n".join(part for part in paragraphs if part not in already)]
    said = paragraphs[0]
    cut = CUT.search(said)
    if cut is None or said.startswith("|"):
        return ["\n\n".join(paragraphs)]
    rest = " ".join((said[: cut.start()] + said[cut.end() :]).split())
    what, _, how = cut[0].partition(":")
    return [f"**{what}:**{how}", "\n\n".join([rest, *paragraphs[1:]])]
