"""Spoilt pictures: whether what is learned from them is exact, or refused with a reason.

    python benchmarks/spoilt.py [light lens screen noise] [--seed 800] [--again] [--print]

Each row draws pairs of a built-in domain with ``data.spoil``, learns bits from them as ``cube run`` does before it
would train its network, and compares the moves of the model with those of the domain, in fresh states and pictures.
Exact: every move is there, and no wrong one. Misread: the same, if each state is read from several pictures; so the
model is exact, and noise hides what some pictures show. Refused: no quick learner fits, and the program says why.
Lacking: no move is wrong, but some are missing, and the judgement of the pairs says so. Warned: moves are wrong, and it
says that something is. Silent: it says nothing. Writes results/spoilt.json and spoilt.md; rows that are there already
stay, unless ``--again`` asks for them. Seeds 100 to 199 were for tuning.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from alarm_worlds import smooth_tiles
from PIL import Image

from cubespace.base.arrays import Bits, States, step_keys
from cubespace.base.files import read_json, write_json, write_text
from cubespace.base.numbers import fixed
from cubespace.data import transitions
from cubespace.data.domain import Simulator
from cubespace.data.spoiling import spoil
from cubespace.data.transitions import Transitions
from cubespace.evaluation.diagnosis import diagnose
from cubespace.learning.bit_learner import Work
from cubespace.learning.choice import Choice, choose_code
from cubespace.learning.code import Code
from cubespace.plugins.catalogue import Catalogue, load_plugins
from cubespace.runs.folder.bits_file import BitPairs
from cubespace.runs.folder.machine import environment
from cubespace.runs.learners import parts_of, quick_learners
from cubespace.runs.stages.judging import judge_run
from cubespace.settings.recipe import Execution, LearnerConfig, Recipe
from cubespace.settings.run_config import Spoiling
from cubespace.symbols.extraction import extract
from cubespace.symbols.strips import StripsModel

RESULTS = Path("results")
STATES = 500  # compared
READINGS = 5  # pictures of a state: what most of them show is what its bits are
SIDE, SPOT = 14, 4  # pixels along the side of a tile, and of the spot by which two tiles differ …
SIMILAR = 0.3  # … by so much, of 1: at noise .2 these are about nine standard deviations
DOMAINS = {"digits": "mnist", "photograph": "photo", "lamps": "lightsout"}
SPOILT: dict[str, dict[str, Spoiling]] = {
    "light": {
        "gamma .5": Spoiling(gamma=0.5),
        "contrast .4": Spoiling(contrast=0.4),
        "gradient .4": Spoiling(gradient=0.4),
        "shadow .4": Spoiling(shadow=0.4),
    },
    "lens": {"blur 1": Spoiling(blur=1.0), "jpeg 30": Spoiling(jpeg=30), "jpeg 60": Spoiling(jpeg=60)},
    "screen": {"pepper .02": Spoiling(pepper=0.02), "cursor": Spoiling(cursor=5)},
}
NOISES = (0.1, 0.15, 0.2, 0.25, 0.3)
PHOTOGRAPHS = 3
WHITE, GREY = 255, 128


@attrs.frozen(kw_only=True)
class Row:
    """Pictures of a domain, and what is done to them."""

    section: str
    name: str
    pictures: str
    domain: str
    spoiling: Spoiling

    @property
    def key(self) -> str:
        """Return a key that is unique to the row."""
        return f"{self.section}/{self.name}/{self.pictures}"


def rows(sections: list[str], folder: Path, seed: int) -> list[Row]:
    """Return the rows of some sections; photographs with similar tiles are written into a folder."""
    table = [
        Row(section=section, name=name, pictures=pictures, domain=domain, spoiling=spoiling)
        for section, ways in SPOILT.items()
        for name, spoiling in ways.items()
        for pictures, domain in DOMAINS.items()
    ]
    for number in range(PHOTOGRAPHS):
        domain = f"photo:image={photograph(folder / f'similar-{number}.png', np.random.default_rng([seed, number]))}"
        table += [
            Row(
                section="noise",
                name=f"noise {sigma:g}",
                pictures=f"similar tiles {number}",
                domain=domain,
                spoiling=Spoiling(noise=sigma),
            )
            for sigma in NOISES
        ]
    return [row for row in table if row.section in sections]


def photograph(path: Path, rng: np.random.Generator) -> Path:
    """Write a picture of three by three smooth tiles, of which the last two differ in a small spot only."""
    tiles = smooth_tiles(9, rng, side=SIDE)
    row, column = rng.integers(SIDE - SPOT, size=2) // 2 * 2
    spot = tiles[-2, row : row + SPOT, column : column + SPOT].astype(float)
    tiles[-1] = tiles[-2]
    lighter = 1 if spot.mean() < GREY else -1
    tiles[-1, row : row + SPOT, column : column + SPOT] = np.clip(spot + lighter * SIMILAR * WHITE, 0, WHITE)
    picture = np.block([[tiles[3 * row + column] for column in range(3)] for row in range(3)])
    Image.fromarray(picture).save(path)
    return path


def work(row: Row, catalogue: Catalogue, seed: int) -> dict[str, Any]:
    """Do a row and return its record."""
    begun = time.process_time()
    domain: Simulator = catalogue.create("domain", row.domain)
    data = transitions.make(spoil(domain, row.spoiling, seed, 0), row.domain, None, seed)
    choice = choose(data, catalogue, seed)
    record: dict[str, Any] = {
        "section": row.section,
        "name": row.name,
        "pictures": row.pictures,
        "seed": seed,
        "candidates": [candidate.summary for candidate in choice.candidates],
        "learner": choice.learner,
    }
    if choice.code is not None:
        record |= judged(choice, data, catalogue, spoil(domain, row.spoiling, seed, 1), seed)
    record["verdict"] = verdict(record)
    return record | {"cpu_seconds": round(time.process_time() - begun, 1), "date": time.strftime("%Y-%m-%d")}


def choose(data: Transitions, catalogue: Catalogue, seed: int) -> Choice:
    """Let the quick learners try, as ``cube run`` does."""
    with tempfile.TemporaryDirectory() as folder:
        parts = parts_of(catalogue, Execution())
        made = Work(folder=Path(folder), seed=seed, recipe=Recipe(), parts=parts)
        return choose_code(quick_learners(catalogue), data.train, data.validation, made, LearnerConfig())


def judged(choice: Choice, data: Transitions, catalogue: Catalogue, fresh: Any, seed: int) -> dict[str, Any]:
    """Return what pairs say about the model, and what the domain knows."""
    code = choice.code
    assert code is not None
    splits = {"train": data.train, "validation": data.validation, "test": data.test}
    bits = {name: BitPairs(code.encode(part.before), code.encode(part.after)) for name, part in splits.items()}
    precondition = catalogue.create("precondition", "values")
    training = bits["train"]
    model, _ = extract(
        training.before,
        training.after,
        precondition,
        draw=code.draw,
        look=code.encode,
        groups=code.groups,
        seed=seed,
    )
    judgement = judge_run(code, model, data, bits, effects="differences", labels=None)
    true = diagnose(fresh, code.encode, model, STATES, seed)
    return {
        "bits": code.bits,
        "actions": model.actions,
        "recall": true.recall,
        "wrong": true.wrong,
        "exact_if_read_often": exact_if_read_often(code, model, fresh, seed),
        "warnings": [finding.about for finding in judgement.warnings],
    }


def exact_if_read_often(code: Code, model: StripsModel, fresh: Simulator, seed: int) -> bool:
    """Return whether the model has all moves of some states and no others, each state read from several pictures."""
    states = fresh.random_states(STATES, np.random.default_rng([seed, READINGS]))
    children, parent = fresh.successors(states)
    before, reached = (_read_often(code, fresh, each) for each in (states, children))
    source, action = np.nonzero(model.applicable(before))
    ours = model.apply(before[source], action)
    moved = (ours != before[source]).any(1)
    mine, true = (np.unique(step_keys(*moves)) for moves in ((source[moved], ours[moved]), (parent, reached)))
    return np.array_equal(mine, true)


def _read_often(code: Code, fresh: Simulator, states: States) -> Bits:
    """Return the bits that most pictures of each state show."""
    votes = sum(code.encode(fresh.render(states)).astype(np.intp) for _ in range(READINGS))
    return np.asarray(2 * votes > READINGS)


def verdict(record: dict[str, Any]) -> str:
    """Return in a word how a row ended."""
    if record["learner"] is None:
        return "refused"
    if record["recall"] == 1 and record["wrong"] == 0:
        return "exact"
    if record["exact_if_read_often"]:
        return "misread"
    if not record["warnings"]:
        return "SILENT"
    return "warned" if record["wrong"] else "lacking"


def page(records: list[dict[str, Any]], seeds: str) -> str:
    """Return all rows as tables in Markdown, one per section."""
    lines = [
        "# Spoilt pictures",
        "",
        f"`python benchmarks/spoilt.py --seed {seeds}`: the usual number of pairs, compared in {STATES} fresh states, "
        "each drawn and spoilt anew. Exact: recall is 1 and no move is wrong. Misread: so it is where each state is "
        f"read from {READINGS} pictures; noise hides what some of them show. Refused: no quick learner fits, which the "
        "program says with its reason (spoilt.json has it), before it trains its network. Lacking: no move is wrong, "
        "but some are missing; warned: moves are wrong; the program warns of both, from pairs alone. SILENT: it does "
        "not. An exact model that it warns of is marked as a false alarm.",
    ]
    for section in dict.fromkeys(record["section"] for record in records):
        mine = [record for record in records if record["section"] == section]
        columns = list(dict.fromkeys(record["pictures"] for record in mine))
        lines += ["", f"## {section}", "", f"| spoilt by | {' | '.join(columns)} |", "|---|" + "---|" * len(columns)]
        for name in dict.fromkeys(record["name"] for record in mine):
            cells = {record["pictures"]: cell(record) for record in mine if record["name"] == name}
            lines.append(f"| {name} | {' | '.join(cells.get(column, '') for column in columns)} |")
    words = ("exact", "misread", "refused", "lacking", "warned", "SILENT")
    count = {word: sum(record["verdict"] == word for record in records) for word in words}
    lines += ["", f"Of {len(records)}: {', '.join(f'{number} {word}' for word, number in count.items() if number)}."]
    return "\n".join(lines) + "\n"


def cell(record: dict[str, Any]) -> str:
    """Return how a row ended, with figures where it is neither exact nor refused."""
    word, warned = str(record["verdict"]), record.get("warnings")
    if word == "refused":
        return word
    if word == "exact":
        return f"exact (false alarm: {', '.join(warned)})" if warned else word
    figures = f"recall {fixed(record['recall'])}, wrong {fixed(record['wrong'])}"
    return f"{word}: {figures} ({', '.join(warned)})" if warned else f"{word}: {figures}"


def main() -> None:
    """Do what is missing and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", default=[*SPOILT, "noise"])
    parser.add_argument("--seed", type=int, default=800)
    parser.add_argument("--only", default="", help="rows whose key contains this")
    parser.add_argument("--folder", type=Path, default=RESULTS)
    parser.add_argument("--again", action="store_true", help="also the rows that are there already")
    parser.add_argument("--print", action="store_true", help="write the page again, from the records that are there")
    chosen = parser.parse_args()
    kept = chosen.folder / "spoilt.json"
    known = read_json(kept) if kept.is_file() else {"rows": []}
    assert isinstance(known, dict)
    records = {"/".join(record[name] for name in ("section", "name", "pictures")): record for record in known["rows"]}
    catalogue = load_plugins()
    with tempfile.TemporaryDirectory() as folder:
        table = rows([*SPOILT, "noise"], Path(folder), chosen.seed)
        for row in table:
            wanted = row.section in chosen.sections and chosen.only in row.key and not chosen.print
            if wanted and (row.key not in records or chosen.again):
                record = records[row.key] = work(row, catalogue, chosen.seed)
                print(row.key, cell(record), record.get("warnings", ""), record["candidates"], flush=True)
            done = [records[each.key] for each in table if each.key in records]
            write_json(kept, {"environment": environment(), "rows": done})
            write_text(chosen.folder / "spoilt.md", page(done, str(chosen.seed)))


if __name__ == "__main__":
    main()
