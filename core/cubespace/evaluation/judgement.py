"""What pairs held out tell about a learned model, without any simulator: what to trust, what to doubt, what to do.

Arrays in, findings out. Every threshold follows from one question: would half of all plans of the wanted length lack a
step? A plan of n steps needs n known ones, so each must be known with a probability of at least 0.5 to the power 1/n.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs

from cubespace.base.numbers import binomial_tail, estimated, percent, some_of, wilson
from cubespace.evaluation.judgement_record import Finding, JudgementRecord, Numbers
from cubespace.evaluation.merged_values import MergedValue
from cubespace.evaluation.observed import Observed, count
from cubespace.evaluation.own_changes import OwnChange, listed_box
from cubespace.evaluation.precision_record import Precision
from cubespace.symbols.effects import SOURCES

EVEN = 0.5  # of plans, that may lack a step; of effects, that the apply module can have
LEVEL = 0.01  # probability of a warning about coverage that chance alone has caused
ALL_ALONE = 0.9  # of pairs, whose difference no other pair shows: no number of pairs can be estimated from so few
HARDLY_ANY = 0.001  # of plans: a smaller fraction is not worth its digits
MISREAD = 0.001  # of pictures, by which single plans begin or end in another state than a picture shows
SELDOM = 0.01  # of plans, that may pass through a state whose picture is unlike others: bad pixels make a few


@attrs.frozen(kw_only=True)
class Judgement:
    """Numbers, findings, and both in one paragraph."""

    numbers: Numbers
    precision: Precision | None
    findings: tuple[Finding, ...]

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Return what should worry the user."""
        return tuple(finding for finding in self.findings if finding.warning)

    @property
    def paragraph(self) -> str:
        """Return all findings, the warnings first."""
        rest = (finding for finding in self.findings if not finding.warning)
        return " ".join(finding.words for finding in (*self.warnings, *rest))

    @property
    def lines(self) -> list[str]:
        """Return the findings for a terminal, one by one, the warnings last: they are to be seen.

        Where effects come from has been said before they were extracted.
        """
        calm = [finding.words for finding in self.findings if not finding.warning and finding.about != "effects"]
        return [*calm, *(f"warning: {finding.words}" for finding in self.warnings)]

    def record(self) -> JudgementRecord:
        """Return it as it is kept."""
        numbers = attrs.asdict(self.numbers, recurse=False)
        return JudgementRecord(**numbers, findings=self.findings, paragraph=self.paragraph)


def judge_model(seen: Observed) -> Judgement:
    """Judge a model by pairs that were held out."""
    numbers = count(seen)
    coverage = _coverage(numbers, seen.length)
    findings = [
        _precision(seen.precision),
        coverage,
        _examples(numbers, seen.length, advise=not coverage.warning),
        _labels(numbers),
        _source(numbers),
        _sharing(numbers),
        _own(seen.own_changes),
        _merged(seen.merged),
        _misread(seen.misread),
        _same_codes(numbers),
        _familiarity(numbers),
    ]
    return Judgement(
        numbers=numbers,
        precision=seen.precision,
        findings=tuple(finding for finding in findings if finding is not None),
    )


def enough(length: int) -> float:
    """Return how probable a known step must be for half of all plans of this length to have known steps only."""
    return float(EVEN ** (1 / length))


def _precision(precision: Precision | None) -> Finding | None:
    if precision is None:
        return None
    text = f"{precision.words} {precision.reason}".rstrip()
    if precision.clearest is None:
        return Finding(about="precision", warning=False, text=text)
    advice = "Plans may pass through such moves, which are shortcuts: look at unseen steps, or show more pairs."
    return Finding(about="precision", warning=True, text=text, advice=advice)


def _coverage(numbers: Numbers, length: int) -> Finding:
    held, known = numbers.held_out, numbers.held_out_covered
    lacking = binomial_tail(known, held, enough(length)) < LEVEL
    text = f"Of {held:,} pairs held out, the model has the effect of {estimated(known, held)}"
    text += f" and an applicable action for {estimated(numbers.held_out_reproduced, held)}."
    unseen = held - numbers.held_out_also_in_training
    if not unseen:
        text += " But all of them show transitions that training pairs show too: none is new."
    elif unseen < held:
        text += f" {held - unseen:,} of them show a transition that training pairs show too; of the other {unseen:,},"
        text += f" it has an applicable action for {some_of(numbers.unseen_reproduced, unseen)}."
    if not lacking:
        return Finding(about="coverage", warning=False, text=text)
    whole = (known / held) ** length
    plans = f"{percent(whole)} of plans" if whole >= HARDLY_ANY else "hardly any plans"
    advice = f"At that rate {plans} of {length} steps have an effect for every step, so a goal that is "
    advice += f"called unsolvable may well be reachable. {_more_pairs(numbers, length)}"
    return Finding(about="coverage", warning=True, text=text, advice=advice)


def _examples(numbers: Numbers, length: int, *, advise: bool) -> Finding:
    once, kinds = numbers.seen_once, numbers.differences
    text = f"The {numbers.transitions:,} training pairs show {kinds:,} differences, {once:,} of them only once."
    if 1 - numbers.estimated_new >= enough(length):
        return Finding(about="examples", warning=False, text=text)
    text += f" So about {percent(numbers.estimated_new)} of further pairs would show a new one."
    if 1 - wilson(once, numbers.transitions)[0] >= enough(length):  # that may be chance
        return Finding(about="examples", warning=False, text=text)
    advice = _more_pairs(numbers, length) if advise else ""  # once is enough
    return Finding(about="examples", warning=True, text=text, advice=advice)


def _by_chance(numbers: Numbers) -> bool:
    """Return whether nearly every pair shows a difference of its own, as though bits changed by chance."""
    return numbers.seen_once > ALL_ALONE * numbers.transitions


def _more_pairs(numbers: Numbers, length: int) -> str:
    """Return how many pairs would do, if all differences are equally frequent, unless that is not the trouble."""
    if _by_chance(numbers):
        return (
            "Nearly every pair shows a difference of its own. If there are far more pairs to show, show them; else "
            "bits change by chance, and less noise, larger pictures, another learner or a longer training may help."
        )
    kinds = numbers.estimated_differences
    wanted = math.ceil(-kinds * math.log(1 - enough(length)))
    wanted = max(wanted, 2 * numbers.transitions)
    digits = 10 ** max(0, len(str(wanted)) - 2)
    return f"There seem to be at least {kinds:,} differences: about {-(-wanted // digits) * digits:,} pairs would help."


def _labels(numbers: Numbers) -> Finding | None:
    most, kinds = numbers.most_labels, numbers.differences
    if most is None or kinds <= most:
        return None
    text = (
        f"The network can give {most:,} labels, but there are {kinds:,} differences: some have no label of their own."
    )
    advice = "" if _by_chance(numbers) else f"Set autoencoder.actions to {kinds:,} or more."
    return Finding(about="labels", warning=True, text=text, advice=advice)


def _source(numbers: Numbers) -> Finding:
    source, labels, kinds = numbers.effects, numbers.labels, numbers.differences
    text = f"Effects are {SOURCES[source]}."
    if source != "differences" or labels is None or labels >= EVEN * kinds:
        return Finding(about="effects", warning=False, text=text)
    text += f" It has {labels:,} labels for {kinds:,} differences, so it cannot have learned even half of them."
    advice = "To judge the module by plans, set extract.effects to network."
    return Finding(about="effects", warning=True, text=text, advice=advice)


def _sharing(numbers: Numbers) -> Finding | None:
    alone, kinds = numbers.seen_from_one_state, numbers.differences
    if alone < EVEN * kinds:
        return None
    text = f"{some_of(alone, kinds)} differences were seen from one state only: little is shared between states, and"
    text += " plans consist mostly of transitions that were seen."
    return Finding(about="sharing", warning=False, text=text)


def _own(changes: Sequence[OwnChange]) -> Finding | None:
    if not changes:
        return None
    named = [f"in {change.where}" for change in changes[:3]]
    text = f"Something changes on its own, whatever else happens: {', '.join(named)}."
    if all(change.left_out for change in changes):
        advice = "It has been left out of states, effects and goals; if actions should change it, show more pairs."
    else:
        advice = "Plans will seem to control it, and every other difference comes in several kinds: mask or crop it."
    return Finding(about="own changes", warning=True, text=text, advice=advice)


def _merged(merged: Sequence[MergedValue]) -> Finding | None:
    if not merged:
        return None
    values = sum(value.bit is not None for value in merged)
    boxes = sorted({value.box for value in merged})
    named = [f"in {listed_box(box)}" for box in boxes[:3]] + (["…"] if len(boxes) > 3 else [])
    what = f"Behind {values:,} values of the code" if values else "Behind the code"
    text = f"{what} pictures show something else that stays from one picture to the next: {', '.join(named)}."
    advice = (
        "What differs there is lost, and plans show a blend of it: larger pictures or less noise may tell it apart."
    )
    return Finding(about="merged values", warning=True, text=text, advice=advice)


def _misread(share: float) -> Finding | None:
    if share < MISREAD:
        return None
    text = f"About {percent(share)} of pictures are misread, since two values of a variable differ by little more than"
    advice = "From such a picture, a plan begins or ends in another state: larger pictures or less noise help."
    return Finding(about="misread pictures", warning=True, text=f"{text} noise.", advice=advice)


def _same_codes(numbers: Numbers) -> Finding | None:
    idle, unlike, pairs = numbers.idle, numbers.look_different, numbers.transitions
    if not idle and not unlike:
        return None
    parts = []
    if unlike:
        parts.append(f"{some_of(unlike, numbers.looked_at)} training pictures look unlike others with the same bits.")
    if not idle and _concerned(unlike, numbers) < SELDOM:
        return Finding(about="same states", warning=False, text=parts[0])
    if idle:
        parts.append(f"{some_of(idle, pairs)} training pairs change no bit.")
    advice = "What differs there is lost: larger pictures, more bits (autoencoder.bits) or longer training may show it."
    return Finding(about="same states", warning=True, text=" ".join(parts), advice=advice)


def _concerned(unlike: int, numbers: Numbers) -> float:
    """Return which fraction of plans would pass through a state whose picture looks unlike others with its bits."""
    return 1 - float((1 - unlike / max(1, unlike, numbers.looked_at)) ** (numbers.length + 1))


def _familiarity(numbers: Numbers) -> Finding:
    text = f"Of the states held out, {percent(numbers.known_states)} are also states of the training split"
    if numbers.known_pictures is not None:
        text += f"; of the pictures, {percent(numbers.known_pictures)} are training pictures, byte by byte"
    return Finding(about="familiarity", warning=False, text=f"{text}.")
