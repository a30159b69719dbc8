"""When pictures are laid over each other before anything is learned from them; a part of ``learner``."""

from __future__ import annotations

from typing import Literal

import attrs
from attrs.validators import and_, ge, gt, le, lt


@attrs.frozen(kw_only=True)
class RegistrationConfig:
    """Whether the camera moves is seen in some pairs: within a pair, most of what a fixed camera sees stays."""

    when: Literal["auto", "on", "off"] = "auto"  # pictures are registered; auto: if the camera moves
    pairs: int = attrs.field(default=750, validator=ge(10))  # from which it is learned how
    moving_share: float = attrs.field(default=0.6, validator=and_(gt(0.0), le(1.0)))  # of pairs that must show a motion
    explained: float = attrs.field(default=0.3, validator=and_(gt(0.0), lt(1.0)))  # of a pair's error, by a motion
    least_motion: float = attrs.field(default=0.05, validator=ge(0.0))  # pixels; less is no motion
