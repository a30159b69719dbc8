"""The figures at the head of a report: verdicts where a judge gives them, else by how much pairs vouch for plans."""

import attrs

from cubespace.report.run_files import Facts, read_facts
from cubespace.report.tiles import tiles


def titles(facts: Facts) -> list[str]:
    return [tile.title for tile in tiles(facts)]


def test_a_judge_gives_verdicts_and_pairs_say_how_many_moves_seem_wrong(default_run) -> None:
    shown = tiles(read_facts(default_run))
    assert [tile.title for tile in shown[:4]] == ["found", "valid", "optimal", "of moves seem wrong"]
    assert (shown[0].value, shown[0].of, shown[0].share) == ("4", "/4", 100.0)
    assert shown[3].value.startswith("< ")


def test_where_nobody_judges_seen_and_doubtful_steps_are_counted(default_run) -> None:
    facts = read_facts(default_run)
    planners = {
        name: attrs.evolve(row, valid=None, optimal=None, all_seen=3, doubtful=1)
        for name, row in facts.planners.items()
    }
    facts = attrs.evolve(facts, results=attrs.evolve(facts.results, planners=planners))
    shown = {tile.title: tile.value for tile in tiles(facts)}
    assert "valid" not in shown
    assert (shown["every step seen in training"], shown["rely on doubtful steps"]) == ("3", "1")


def test_a_run_without_plans_has_none(default_run) -> None:
    facts = attrs.evolve(read_facts(default_run), results=None)
    assert titles(facts) == []
