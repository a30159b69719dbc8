"""Which of several ways to group pixels, and to separate their values, makes transitions simplest."""

from __future__ import annotations

import attrs
import numpy as np
from attrs.validators import and_, ge, le
from numpy.typing import NDArray

from cubespace.base.options import option
from cubespace_bit_learners.places.clusters import LINKED_PATTERNS
from cubespace_bit_learners.places.events import Score
from cubespace_bit_learners.places.values import SPLIT, Kind

Numbers = NDArray[np.intp]

ROUNDING = 1e-6  # of all variance
UNSURE = 2  # times as many pictures as must show a value that is a clear cluster: chance may show half of them


@attrs.frozen(kw_only=True, slots=False)  # the options of a learner consist of several such classes
class SelectionOptions:
    """What disqualifies a way to group pixels, and when two are equally good."""

    min_coverage: float = option(
        0.5,
        "coverage of held-out pairs that a way to group pixels must reach, as a fraction of the best one: others "
        "explain noise",
        and_(ge(0.0), le(1.0)),
    )
    sure_coverage: float = option(
        0.9, "the same, of one by which others are judged that leave out places", and_(ge(0.0), le(1.0))
    )
    loss_margin: float = option(
        1e-3,
        "fraction of all variance that a way to group pixels may lose more than the best one does, of what is the same "
        "before and after",
        and_(ge(0.0), le(1.0)),
    )
    spread_margin: float = option(
        0.1,
        "the same, of all that it does not explain: light, a lens and bad pixels differ from picture to picture",
        and_(ge(0.0), le(1.0)),
    )
    bits_tie: float = option(
        1e-4,
        "ways to group pixels whose events take as many bits, up to this fraction, are equally good; then the one with "
        "the fewest values is taken, of those that lose as little and explain as much",
        ge(0.0),
    )
    lost_tie: float = option(
        1e-4, "fraction of all variance by which these may differ in what they lose: two tiles of one place", ge(0.0)
    )
    explained_tie: float = option(
        0.1, "fraction by which these may differ in what they do not explain: no value is worth more", ge(0.0)
    )
    merged_bits: float = option(
        0.05, "fraction of the bits of an event that merging rare values saves at most: others are no reason", ge(0.0)
    )
    merged_coverage: float = option(
        0.03,
        "coverage that merging rare values gains at most: their events are rare, too, and some were not seen before",
        and_(ge(0.0), le(1.0)),
    )

    least_inside: float = option(
        0.5,
        "share of the pixels of a place that must be in groups of a way that leaves out pixels",
        and_(ge(0.0), le(1.0)),
    )
    split_coverage: float = option(
        0.02, "coverage that may be lost where values are split that seem to be two", and_(ge(0.0), le(1.0))
    )


@attrs.frozen(eq=False)
class Grouping:
    """A way to group pixels and to separate their values, and how well it does."""

    groups: list[Numbers]
    kind: Kind  # of values
    score: Score
    values: int  # of all groups together
    unexplained: float  # variance, as a fraction of all …
    lost: float  # … that which pictures before and after share
    left_out: float  # … and that of pixels in no group
    overflow: bool
    common: int  # values that are not rare


def simplest(tried: list[Grouping], options: SelectionOptions) -> Grouping:
    """Return the grouping whose events need the fewest bits and, among equals that show as much, the fewest values.

    Only groupings are compared that lose about as little of what stays as the best one does: two tiles that became one
    value are lost, noise is not. Those whose events hardly ever occur again are left out first: they explain noise. So
    are those that leave out places which others explain by events that nearly always occur again.
    """
    fitting = [each for each in tried if not each.overflow] or tried
    fitting = [each for each in fitting if not any(_splits_too_much(each, coarser, options) for coarser in fitting)]
    best_coverage = max(each.score.coverage for each in fitting)
    fitting = [each for each in fitting if each.score.coverage >= options.min_coverage * best_coverage]
    sure = [each for each in fitting if each.score.coverage >= options.sure_coverage * best_coverage]
    fitting = [each for each in fitting if not any(_leaves_out(each, more, options) for more in sure)]
    most_lost = min(each.lost for each in fitting) + options.loss_margin
    fitting = [each for each in fitting if each.lost <= most_lost]
    most_unexplained = min(each.unexplained for each in fitting) + options.spread_margin
    fitting = [each for each in fitting if each.unexplained <= most_unexplained]
    fitting = [each for each in fitting if not any(_has_merged(each, finer, options) for finer in fitting)]
    most_bits = min(each.score.bits for each in fitting) * (1 + options.bits_tie)
    equal = [each for each in fitting if each.score.bits <= most_bits]
    least_lost = min(each.lost for each in equal) + options.lost_tie
    equal = [each for each in equal if each.lost <= least_lost]
    unclear = min(each.unexplained for each in equal) * (1 + options.explained_tie) + ROUNDING
    return min((each for each in equal if each.unexplained <= unclear), key=lambda each: each.values)


def _leaves_out(one: Grouping, more: Grouping, options: SelectionOptions) -> bool:
    """Return whether a place of another way is missing: hardly any of its pixels are in a group, though they vary.

    Pixels at the edge of a place may be missing: there, a lens or a codec mixes it with the next place.
    """
    if one.left_out <= more.left_out + options.loss_margin:
        return False
    inside = np.concatenate(one.groups)
    return any(float(np.isin(group, inside).mean()) < options.least_inside for group in more.groups)


def _splits_too_much(one: Grouping, coarser: Grouping, options: SelectionOptions) -> bool:
    """Return whether values that were split are no values: events recur less often than those of what was split."""
    of_it = one.kind == coarser.kind + SPLIT and coarser.groups is one.groups
    return of_it and one.score.coverage < coarser.score.coverage - options.split_coverage


def _has_merged(one: Grouping, finer: Grouping, options: SelectionOptions) -> bool:
    """Return whether a finer kind of values, of the same pixels, shows that rare ones were merged: it explains more.

    Merged values always need fewer bits, and their events recur a little more often. Nuisances split values, too, and
    that explains more; but then common values are split, or the events hardly recur.
    """
    recurs = finer.common <= one.values and finer.score.coverage >= one.score.coverage - options.merged_coverage
    cheap = finer.score.bits <= one.score.bits * (1 + options.merged_bits)
    explains = finer.unexplained * (1 + options.explained_tie) + ROUNDING < one.unexplained
    return finer.groups is one.groups and recurs and cheap and explains


def common_values(codes: Numbers, common_count: int) -> int:
    """Return how many values, of all places, are common enough to be clear clusters for sure: (2, pairs, places)."""
    fewest = UNSURE * common_count / LINKED_PATTERNS * codes[..., 0].size
    return sum(int((np.bincount(place.ravel()) >= fewest).sum()) for place in np.moveaxis(codes, -1, 0))
