"""What a camera, a lens, a screen or a file format does to single pictures; a part of ``data.spoil``."""

from __future__ import annotations

import attrs
from attrs.validators import and_, ge, le, lt, optional

_share = and_(ge(0.0), lt(1.0))


@attrs.frozen(kw_only=True, slots=False)  # the settings of data.spoil consist of several such classes
class PictureSpoiling:
    """What is done to each picture by itself, in a way of its own; nothing by default."""

    gamma: float = attrs.field(default=0.0, validator=ge(0.0))  # a random power, up to 1 + this, or 1 divided by it
    contrast: float = attrs.field(default=0.0, validator=_share)  # pixels come nearer to middle grey by up to this
    gradient: float = attrs.field(default=0.0, validator=_share)  # one side, a random one, is darker by up to this
    shadow: float = attrs.field(default=0.0, validator=_share)  # a soft shadow somewhere, darker by up to this
    blur: float = attrs.field(default=0.0, validator=and_(ge(0.0), le(16.0)))  # pixels by which it is blurred, at most
    pepper: float = attrs.field(default=0.0, validator=_share)  # fraction of the pixels that are black or white instead
    cursor: int = attrs.field(default=0, validator=and_(ge(0), le(32)))  # side of a pointer somewhere in it, in pixels
    jpeg: int | None = attrs.field(default=None, validator=optional(and_(ge(1), le(95))))  # quality it is stored with

    @property
    def scene(self) -> bool:
        """Return whether light or lens differ between pictures."""
        return bool(self.gamma or self.contrast or self.gradient or self.shadow or self.blur)

    @property
    def pixels(self) -> bool:
        """Return whether something is done to pixels that are there already."""
        return bool(self.pepper or self.cursor or self.jpeg is not None)
