"""What was found out about the camera: said at the moment of use, and kept in ``learner.json``."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

LEAST_SAID = 0.01  # pixels at the edge, or share of the light: what varies less is not listed


@attrs.frozen(kw_only=True)
class RegistrationRecord:
    """Whether the camera moves, and by how much pictures differ: standard deviations, in pixels at the edge or shares.

    ``moving_share`` is the share of probed pairs that show a motion, None if it was not asked.
    """

    registered: bool
    moving_share: float | None = None
    pixels: float = 0.0  # by which what is seen moves from before to after, the median over pairs
    deviations: Mapping[str, float] = attrs.field(factory=dict)

    @property
    def summary(self) -> str:
        """Return one line for the user."""
        if self.registered:
            found = [f"{name} {value:.2f}" for name, value in self.deviations.items() if value >= LEAST_SAID]
            return f"the camera moves: pictures are registered (standard deviations: {', '.join(found) or 'none'})"
        share = "" if self.moving_share is None else f" ({self.moving_share:.0%} of pairs show a motion)"
        return f"nothing moves{share}: pictures are learned from as they are"
