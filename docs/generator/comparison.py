"""The figure of README.md: valid and optimal plans in the paper, by its network here, and by ours, with intervals."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from cubespace.base.numbers import wilson
from generator import records
from generator.records import Plans

FIGURE = records.ROOT / "docs" / "pictures" / "comparison.svg"
PLANNER = "fd-lmcut"
WORLDS = {
    "mnist": "8-puzzle, MNIST",
    "mandrill": "8-puzzle, mandrill",
    "spider": "8-puzzle, spider",
    "photo": "8-puzzle, photograph",
    "lightsout": "LightsOut",
    "twisted": "LightsOut, twisted",
}
WIDTH, LEFT, PANEL, GAP, TOP, STEP, BOTTOM = 900, 166, 330, 46, 92, 58, 40  # pixels
NOTE = "problems of seven steps; bars: 95 % intervals (Wilson)"
LEVELS = (0, 25, 50, 75, 100)  # percent
FONT = "font-family='system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif'"


@attrs.frozen(kw_only=True)
class Series:
    """A method: its name, its colour, and its plans by world."""

    name: str
    colour: str
    plans: dict[str, Plans | None]

    @property
    def legend(self) -> str:
        """Return the name, with how many problems each dot stands for."""
        counts = sorted({plans.instances for plans in self.plans.values() if plans})
        return f"{self.name} (n = {' or '.join(map(str, counts))})" if counts else f"{self.name} (not measured yet)"


def series() -> list[Series]:
    """Return what is compared."""
    network, quick = records.records("paper-network"), records.records("domains")
    return [
        Series(
            name="the paper",
            colour="#6b7280",
            plans={name: records.printed("network", "paper: LMcut", name) for name in WORLDS},
        ),
        Series(
            name="its network here, its rules",
            colour="#2f6fde",
            plans={n: records.plans(network, domain=n, variant="paper-rules", planner=PLANNER) for n in WORLDS},
        ),
        Series(
            name="the same, our preconditions",
            colour="#d9702b",
            plans={name: records.plans(network, domain=name, variant="ours", planner=PLANNER) for name in WORLDS},
        ),
        Series(
            name="cube run, nothing trained",
            colour="#178a55",
            plans={name: records.plans(quick, domain=name, planner=PLANNER) for name in WORLDS},
        ),
    ]


def drawn() -> str:
    """Return the figure, as SVG that reads on light and dark pages."""
    shown, height = series(), TOP + STEP * len(WORLDS) + BOTTOM
    lines = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height}' width='{WIDTH}' height='{height}'>",
        "<title>Valid and optimal plans by Fast Downward with LMcut, with 95 % intervals</title>",
        f"<rect width='{WIDTH}' height='{height}' rx='10' fill='#ffffff'/>",
        *_legend(shown),
        *_panel(LEFT, "valid, % of all problems", "valid", shown),
        *_panel(LEFT + PANEL + GAP, "valid and shortest, % of all problems", "optimal", shown),
        *(_text(LEFT - 14, TOP + STEP * (row + 0.5) + 4, title, "end") for row, title in enumerate(WORLDS.values())),
        _text(
            WIDTH / 2, height - 10, "problems of seven steps; bars: 95 % intervals (Wilson)", "middle", "#6b7280", 12
        ),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _legend(shown: Sequence[Series]) -> list[str]:
    lines = []
    for number, each in enumerate(shown):
        left, top = 30 + 430 * (number % 2), 24 + 20 * (number // 2)
        lines += [
            f"<circle cx='{left}' cy='{top}' r='5' fill='{each.colour}'/>",
            _text(left + 12, top + 4, each.legend),
        ]
    return lines


def _panel(left: int, title: str, what: str, shown: Sequence[Series]) -> list[str]:
    lines = [_text(left, TOP - 18, title, weight="600")]
    for level in LEVELS:
        x = left + PANEL * level / 100
        lines.append(f"<line x1='{x:g}' y1='{TOP}' x2='{x:g}' y2='{TOP + STEP * len(WORLDS)}' stroke='#e3e5ea'/>")
        lines.append(_text(x, TOP - 4, str(level), "middle", "#6b7280", 10))
    for row, name in enumerate(WORLDS):
        middle = TOP + STEP * (row + 0.5)
        for number, each in enumerate(shown):
            lines += _dot(left, middle + 11 * (number - (len(shown) - 1) / 2), each, name, what)
    return lines


def _dot(left: int, y: float, each: Series, world: str, what: str) -> list[str]:
    """Return a share with its interval and, to be read by a mouse, the count behind it; nothing if there is none."""
    plans = each.plans[world]
    if plans is None:
        return []
    part = getattr(plans, what)
    low, high = (left + PANEL * bound for bound in wilson(part, plans.instances))
    x = left + PANEL * part / plans.instances
    ends = f"x1='{low:.1f}' y1='{y:g}' x2='{high:.1f}' y2='{y:g}'"
    return [
        f"<g><title>{WORLDS[world]}, {each.name}: {part} of {plans.instances} {what}</title>"
        f"<line {ends} stroke='{each.colour}' stroke-width='2.5' opacity='.45'/>"
        f"<circle cx='{x:.1f}' cy='{y:g}' r='4' fill='{each.colour}'/></g>"
    ]


def _text(
    x: float, y: float, words: str, anchor: str = "start", colour: str = "#1c2230", size: int = 13, weight: str = "400"
) -> str:
    at = f"x='{x:g}' y='{y:g}' text-anchor='{anchor}' fill='{colour}' font-size='{size}' font-weight='{weight}'"
    return f"<text {at} {FONT}>{words}</text>"
