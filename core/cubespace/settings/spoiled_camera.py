"""What a camera in a hand does to pictures of things that are put down by hand; a part of ``data.spoil``."""

from __future__ import annotations

from typing import Literal

import attrs
from attrs.validators import and_, ge, le, lt

_pixels = and_(ge(0.0), le(64.0))
_share = and_(ge(0.0), lt(1.0))


@attrs.frozen(kw_only=True, slots=False)  # the settings of data.spoil consist of several such classes
class CameraSpoiling:
    """How the camera, the light and the things themselves differ from picture to picture; not at all by default.

    All of it is drawn anew for every picture, uniformly from minus to plus what is given. Only a thing that no action
    moves stays where it lies, exactly.
    """

    ground: Literal["none", "textured", "black"] = "none"  # what the pictures lie on, all around …
    ground_width: int = attrs.field(default=8, validator=and_(ge(1), le(64)))  # … for this many pixels
    move: float = attrs.field(default=0.0, validator=_pixels)  # the camera moves by up to this many pixels each way
    turn: float = attrs.field(default=0.0, validator=and_(ge(0.0), le(45.0)))  # and turns by up to this many degrees
    perspective: float = attrs.field(default=0.0, validator=_pixels)  # each corner moves, too, by up to this
    gain: float = attrs.field(default=0.0, validator=_share)  # pictures are brighter or darker by up to this
    offset: float = attrs.field(default=0.0, validator=_share)  # to every pixel is added up to this, of 1
    slope: float = attrs.field(default=0.0, validator=_share)  # one side is brighter by up to this, the other darker
    place: float = attrs.field(default=0.0, validator=and_(ge(0.0), le(8.0)))  # things land off by up to these pixels …
    place_turn: float = attrs.field(default=0.0, validator=and_(ge(0.0), le(45.0)))  # … and turned by these degrees

    @property
    def shaking(self) -> bool:
        """Return whether pictures show the scene from different points of view."""
        return bool(self.move or self.turn or self.perspective)

    @property
    def lit(self) -> bool:
        """Return whether the light differs between pictures, brighter or darker."""
        return bool(self.gain or self.offset or self.slope)

    @property
    def misplaced(self) -> bool:
        """Return whether things that are put down land a little off their place."""
        return bool(self.place or self.place_turn)

    @property
    def camera(self) -> bool:
        """Return whether pictures differ from those of a fixed camera that sees nothing around."""
        return self.shaking or self.lit or self.misplaced or self.ground != "none"
