"""Write the problems of this package: towers, blocks, and a level of Sokoban of one box on 34 free cells.

python make_problems.py
"""

from __future__ import annotations

from itertools import pairwise, product
from pathlib import Path

TARGET = Path(__file__).parent / "cube_pddlgym" / "problems"
LEVEL = """\
########
#......#
#.@....#
#..$...#
#.##...#
#......#
#....*.#
########
"""


def hanoi(disks: int, pegs: int) -> str:
    """Return a tower on the first peg, to be moved to the last."""
    towers = [f"peg{number + 1}" for number in range(pegs)]
    rings = [f"d{number + 1}" for number in range(disks)]  # the smallest first
    facts = [f"(smaller {peg} {ring})" for peg, ring in product(towers, rings)]
    facts += [f"(smaller {large} {small})" for row, large in enumerate(rings) for small in rings[:row]]
    facts += [f"(clear {peg})" for peg in towers[1:]] + [f"(clear {rings[0]})", f"(on {rings[-1]} {towers[0]})"]
    stack = [f"(on {small} {large})" for small, large in pairwise(rings)]
    goal = [f"(on {rings[-1]} {towers[-1]})", *stack]
    return problem(f"hanoi-{disks}-{pegs}", "hanoi", " ".join(towers + rings), facts + stack, goal)


def blocks(number: int) -> str:
    """Return some blocks on the table, to be piled up."""
    names = [chr(ord("a") + row) for row in range(number)]
    objects = f"{' '.join(names)} - block robot - robot"
    facts = [f"(clear {name}) (ontable {name})" for name in names] + ["(handempty robot)"]
    goal = [f"(on {upper} {lower})" for upper, lower in pairwise(names)]
    return problem(f"blocks-{number}", "blocks", objects, facts, goal)


def sokoban(level: str) -> str:
    """Return a level: walls #, free cells, the player @, a stone $, a goal *."""
    cells = {(row + 1, column + 1): sign for row, line in enumerate(level.split()) for column, sign in enumerate(line)}
    named = {cell: f"pos-{cell[1]}-{cell[0]}" for cell in cells}
    ways = {"dir-up": (-1, 0), "dir-down": (1, 0), "dir-left": (0, -1), "dir-right": (0, 1)}
    facts = [f"(move {way})" for way in ways] + ["(is-player player-01)", "(is-stone stone-01)"]
    for (row, column), sign in cells.items():
        here = named[row, column]
        facts.append(f"({'is-goal' if sign == '*' else 'is-nongoal'} {here})")
        if sign == "#":
            continue
        if sign in ".*":
            facts.append(f"(clear {here})")
        else:
            facts.append(f"(at {'player-01' if sign == '@' else 'stone-01'} {here})")
        for way, (down, right) in ways.items():
            if cells.get((row + down, column + right), "#") != "#":
                facts.append(f"(move-dir {here} {named[row + down, column + right]} {way})")
    objects = f"{' '.join(ways)} - direction player-01 stone-01 - thing {' '.join(named.values())} - location"
    return problem("sokoban-1", "sokoban", objects, facts, ["(at-goal stone-01)"])


def problem(name: str, domain: str, objects: str, facts: list[str], goal: list[str]) -> str:
    """Return a problem in PDDL."""
    lines = "\n    ".join(facts)
    return (
        f"(define (problem {name}) (:domain {domain})\n  (:objects {objects})\n"
        f"  (:init\n    {lines})\n  (:goal (and {' '.join(goal)})))\n"
    )


def main() -> None:
    """Write all problems."""
    TARGET.mkdir(exist_ok=True)
    texts = {"hanoi-4-4": hanoi(4, 4), "hanoi-2-3": hanoi(2, 3), "blocks-4": blocks(4), "sokoban-1": sokoban(LEVEL)}
    for name, text in texts.items():
        (TARGET / f"{name}.pddl").write_text(text)


if __name__ == "__main__":
    main()
