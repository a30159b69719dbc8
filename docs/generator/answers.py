"""The page of answers: a question, the paper's figure, ours, of how many runs, how far to trust it, and its table."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from generator import facts, records
from generator.facts import NOT_YET
from generator.records import NONE, Plans
from generator.tables import BY_STEM

OF_THE_PAPER = ("mnist", "mandrill", "spider", "lightsout", "twisted")  # the domains of its Table 2
ONE, FEW = 1, 5  # runs: what is an observation, and what is enough for a mean to be trusted


@attrs.frozen(kw_only=True)
class Answer:
    """A row: ``n`` is the number of trainings in each world or variant."""

    question: str
    paper: str = NONE
    here: str
    n: str
    stem: str
    defaults: bool = False  # what it says is of the default settings, not of preset `paper`

    @property
    def line(self) -> str:
        """Return the row; what has not been measured says so, and nothing else."""
        entry = BY_STEM.get(self.stem)
        known = (records.RESULTS / f"{self.stem}.md").is_file()
        old = entry is not None and entry.old_preset and not isinstance(records.contents(self.stem), dict)
        told = trust(self.n, old=old and not self.defaults)
        number = self.n if self.n.isdigit() else NONE
        cells = (self.here, number, told) if known else (NOT_YET, NONE, NONE)
        link = f"[{entry.title}](results/{self.stem}.md)" if entry else f"[The {self.stem}]({self.stem}.md)"
        return f"| {self.question} | {self.paper} | {' | '.join(cells)} | {link} |"


def trust(n: str, *, old: bool = False) -> str:
    """Return how far to trust a figure, by the number of trainings behind it."""
    if old:
        return "of version 0.2: to be repeated"
    if not n.isdigit():
        return NONE
    return "one run: an observation" if int(n) == ONE else "weak: few runs" if int(n) < FEW else "fair"


def answers() -> str:
    """Return the table."""
    head = ["| question | paper | here | n | trust | table |", "|---|---|---|---|---|---|"]
    return "\n".join([*head, *(each.line for each in (*_network(), *_authors(), *_ours()))]) + "\n"


def _network() -> list[Answer]:
    """Return what there is to know about the paper's network, trained our way."""
    network, apply = "paper-network", "paper-network-apply"
    rules, ours = "variant=paper-rules", "variant=ours"
    lmcut, lama = "planner=fd-lmcut", "planner=fd-lama"
    five = f"domain={','.join(OF_THE_PAPER)}"
    return [
        Answer(
            question="Does the paper's network learn exact effects, when it is trained our way?",
            paper="total loss at most .003",
            here=f"total at most {facts.number('max', network, 'total', 'digits=4')}; labels exact, least median of a "
            f"world: {facts.number('least-median', network, 'exact')}",
            n=facts.runs(network),
            stem=network,
        ),
        Answer(
            question="Are its plans valid, by the paper's rules? (LMcut, the paper's five domains)",
            paper=_printed("paper: LMcut", "valid"),
            here=facts.share("valid", network, rules, lmcut, five),
            n=facts.runs(network),
            stem=network,
        ),
        Answer(
            question="And shortest?",
            paper=_printed("paper: LMcut", "optimal"),
            here=facts.share("optimal", network, rules, lmcut, five),
            n=facts.runs(network),
            stem=network,
        ),
        Answer(
            question="Valid by LAMA, by the paper's rules?",
            paper=_printed("paper: LAMA", "valid"),
            here=facts.share("valid", network, rules, lama, five),
            n=facts.runs(network),
            stem=network,
        ),
        Answer(
            question="Shortest, with preconditions from values on the same networks? (LMcut)",
            here=facts.share("optimal", network, ours, lmcut, five),
            n=facts.runs(network),
            stem=network,
        ),
        Answer(
            question="Do MinMax and Smooth fall behind Back-to-Logit, when they are trained as well?",
            paper="yes: totals of .50 to .60",
            here="labels exact, least median: "
            + ", ".join(f"{facts.number('least-median', apply, 'exact', f'apply={x}')} ({x})" for x in APPLY),
            n=facts.runs(apply),
            stem=apply,
        ),
        Answer(
            question="Which preconditions on the same networks? (valid by LMcut)",
            here=_variants("paper-network-preconditions", ("static", "backward", "significant", "values")),
            n=facts.runs("paper-network-preconditions", "measure=recall"),
            stem="paper-network-preconditions",
        ),
        Answer(
            question="What does each part of our training add? (valid by LMcut)",
            here=_variants("paper-network-parts", ("0-head", "1-posterior", "2-likelihood", "5-ours")),
            n=facts.runs("paper-network-parts", "measure=exact"),
            stem="paper-network-parts",
        ),
        Answer(
            question="And where it was not tuned: towers, a 15-puzzle, noise, shifts? (valid by LMcut)",
            here=facts.share("valid", "paper-network-others", lmcut),
            n=facts.runs("paper-network-others", "measure=exact"),
            stem="paper-network-others",
        ),
    ]


APPLY = ("btl", "minmax", "smooth")
TABLE_1 = ("btl", "minmax", "smooth", "no-bn", "no-direct", "no-succ")  # variants whose total loss the paper prints
HYPOTHESES = ("authors", "no-dropout", "linear-effect", "before")


def _authors() -> list[Answer]:
    """Return what there is to know about the authors' own network and training."""
    whole = "paper-whole"
    worlds = ("lightsout", "mnist")
    lmcut = "planner=fd-lmcut"
    return [
        Answer(
            question="Does the authors' own training reach its losses here? (total on LightsOut; MNIST)",
            paper=".000; .001",
            here="; ".join(facts.spread(whole, "total", f"domain={domain}", "digits=4") for domain in worlds),
            n=facts.runs(whole, "measure=total"),
            stem=whole,
        ),
        Answer(
            question="And its plans? (LMcut, found/valid/optimal, judged strictly)",
            paper="30/30/30; 30/25/24 of 30",
            here="; ".join(facts.plans(whole, lmcut, f"domain={x}") for x in worlds),
            n=facts.runs(whole, "measure=total"),
            stem=whole,
        ),
        Answer(
            question="By the authors' rule, of the best of the trainings by validation?",
            paper="30/30/30; 30/25/24 of 30",
            here="; ".join(facts.best_plans(whole, lmcut, "measure=authors_plans", f"domain={x}") for x in worlds),
            n="1",
            stem=whole,
        ),
        Answer(
            question="Table 2: the authors' training with five planners? (LightsOut, valid)",
            paper=_printed_plans("table2", ("lightsout",), "valid"),
            here=facts.share("valid", "paper-table2", "variant=paper-whole"),
            n=facts.runs("paper-table2", "variant=paper-whole", "measure=total"),
            stem="paper-table2",
        ),
        Answer(
            question="Table 1: what does the network lose without a part? (total on LightsOut)",
            paper=_printed_totals("table1", TABLE_1, "lightsout"),
            here=_totals("paper-table1", TABLE_1, "domain=lightsout"),
            n=facts.runs("paper-table1", "measure=total", "domain=lightsout"),
            stem="paper-table1",
        ),
        Answer(
            question="Which of the authors' settings matter? (total on LightsOut, without …)",
            here=_totals("paper-hypotheses", HYPOTHESES),
            n=facts.runs("paper-hypotheses", "measure=total"),
            stem="paper-hypotheses",
        ),
        Answer(
            question="Does AMA2, the baseline, find paths? (LightsOut, MNIST, Mandrill; all variants)",
            paper="0 to 19 of 30",
            here=facts.share("found", "paper-ama2"),
            n="1",
            stem="paper-ama2",
        ),
        Answer(
            question="Towers of nine disks, three steps: the paper's method? (blind)",
            paper="32 found, 3 valid of 100",
            here=facts.plans("paper-hanoi", "variant=paper", "planner=fd-blind"),
            n="1",
            stem="paper-hanoi",
        ),
        Answer(
            question="Does a genetic tuning find better settings than it began with?",
            paper="tuned in every domain",
            here=tuned(),
            n=str(len(records.rows("tuning")) // 2) if records.rows("tuning") else NONE,
            stem="tuning",
        ),
    ]


def _ours() -> list[Answer]:
    """Return what there is to know about the defaults of `cube run`."""
    lmcut = "planner=fd-lmcut"
    domains = {row["name"] for row in records.rows("recipe") if row["section"] == "domains"}
    seeds = [row for row in records.rows("recipe") if row["section"] == "domains"]
    return [
        Answer(
            question="Without any training, by the defaults: shortest plans? (LMcut, six worlds of the paper's kind)",
            paper=_printed("paper: LMcut", "optimal"),
            here=facts.recipe("domains", "fd-lmcut", "optimal"),
            n=str(len(seeds) // max(1, len(domains))),
            stem="recipe",
            defaults=True,
        ),
        Answer(
            question="Towers of nine disks, three steps: the defaults, from as many pairs? (blind)",
            paper="32 found, 3 valid of 100",
            here=facts.plans("paper-hanoi", "variant=ours", "planner=fd-blind"),
            n="1",
            stem="paper-hanoi",
            defaults=True,
        ),
        Answer(
            question="Problems far away: an 8-puzzle up to 25 steps? (shortest by LMcut)",
            here=facts.share("optimal", "paper-distances", lmcut),
            n="1",
            stem="paper-distances",
        ),
        Answer(
            question="The follow-up's instances? (valid by blind search)",
            here=facts.share("valid", "paper-followup", "planner=fd-blind"),
            n="1",
            stem="paper-followup",
        ),
        Answer(
            question="Were plans merely memorised? (steps that were in the training pairs)",
            paper="hardly any",
            here=f"at most {facts.number('max', 'paper-effort', 'known_steps')} of them",
            n="1",
            stem="paper-effort",
        ),
    ]


def tuned() -> str:
    """Return the mean loss of the settings that a tuning found, and of those that it began with, on fresh seeds."""
    found = records.contents("tuning")
    if not isinstance(found, dict):
        return NOT_YET
    ways = {way: [row["total"] for row in found["rows"] if row["settings"] == way] for way in ("best", "preset")}
    means = {way: sum(values) / len(values) for way, values in ways.items()}
    return f"total {means['best']:.4f} against {means['preset']:.4f}, after {found['trials']} trials"


def _printed(column: str, part: str) -> str:
    """Return a figure of the paper's Table 2, all its domains together."""
    counts = [found for name in OF_THE_PAPER if (found := records.printed("network", column, name)) is not None]
    total = Plans(*(sum(getattr(each, name) for each in counts) for name in ("found", "valid", "optimal", "instances")))
    return f"{getattr(total, part)} of {total.instances}"


def _printed_plans(table: str, domains: Sequence[str], part: str) -> str:
    """Return a figure of some rows of a table of the paper, all of its planners together."""
    columns = records.printed_columns(table)
    counts = [found for name in domains for column in columns if (found := records.printed(table, column, name))]
    return f"{sum(getattr(each, part) for each in counts):,} of {sum(each.instances for each in counts):,}"


def _printed_totals(table: str, variants: Sequence[str], domain: str) -> str:
    """Return the total losses that the paper prints for some variants."""
    told = ((name, records.printed_cell(table, "paper: total", domain=domain, variant=name)) for name in variants)
    return ", ".join(f"{name} {total}" for name, total in told)


def _totals(file: str, variants: Sequence[str], *words: str) -> str:
    """Return the mean total losses of those variants that were run."""
    told = ((name, facts.number("mean", file, "total", f"variant={name}", "digits=4", *words)) for name in variants)
    return ", ".join(f"{name} {total}" for name, total in told if total != NOT_YET)


def _variants(file: str, names: tuple[str, ...]) -> str:
    told = ((name, facts.share("valid", file, "planner=fd-lmcut", f"variant={name}")) for name in names)
    return ", ".join(f"{name} {share}" for name, share in told)
