"""A table with blocks, rendered by MuJoCo: a light with shadows, a table of wood, a sky."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Images
from cubespace.base.errors import UsageError

if TYPE_CHECKING:
    import mujoco

HALF = 0.05  # metres, half of the edge of a block
SPACING = 0.16  # metres between the middles of two columns
TEXTURE_SEED = 3  # the table is always the same
COLOURS = ("0.85 0.18 0.15", "0.15 0.55 0.2", "0.15 0.3 0.8", "0.9 0.75 0.15", "0.6 0.25 0.65", "0.15 0.65 0.7")
NAMES = ("red", "green", "blue", "yellow", "violet", "cyan")
FINE = 2  # pixels that are rendered for each one, along a side, and averaged

Places = NDArray[np.float64]

WORLD = """
<mujoco>
  <visual>
    <global offwidth="{width}" offheight="{height}"/>
    <quality shadowsize="1024" offsamples="0"/>
    <headlight ambient="0.25 0.25 0.25" diffuse="0 0 0" specular="0 0 0"/>
    <map znear="0.05" shadowclip="1.2"/>
  </visual>
  <asset>
    <texture name="sky" type="skybox" builtin="gradient" rgb1="0.55 0.7 0.9" rgb2="0.85 0.9 0.95"
             width="64" height="64"/>
    <texture name="wood" type="2d" builtin="flat" width="{texture}" height="{texture}"/>
    <material name="table" texture="wood" texrepeat="1 1"/>
  </asset>
  <worldbody>
    <light directional="true" pos="-0.6 -0.5 1.4" dir="0.45 0.3 -1" diffuse="0.75 0.75 0.72" specular="0 0 0"/>
    <camera name="eye" pos="{eye}" xyaxes="1.1 0.24 0 -0.12 0.55 1.27" fovy="{fovy}"/>
    <geom type="box" size="0.6 0.32 0.02" pos="0 0.02 -0.02" material="table"/>
    {blocks}
  </worldbody>
</mujoco>
"""
BLOCK = """<body name="block{number}" mocap="true" pos="0 0 {height}">
      <geom type="box" size="{half} {half} {half}" rgba="{colour} 1"/>
    </body>"""
TEXTURE = 256  # pixels along a side of the picture of the table
FOVY = 34.0  # degrees
EYE = (0.24, -1.1, 0.66)  # metres, where the camera is


@attrs.frozen(eq=False)
class Scene:
    """Some blocks on a table, seen by a camera that does not move."""

    blocks: int
    size: int  # pixels along a side of a picture

    @cached_property
    def _model(self) -> mujoco.MjModel:
        module, side = load_mujoco(), self.size * FINE
        bodies = "\n    ".join(
            BLOCK.format(number=number, height=HALF, half=HALF, colour=COLOURS[number]) for number in range(self.blocks)
        )
        model = module.MjModel.from_xml_string(
            WORLD.format(
                width=side, height=side, texture=TEXTURE, eye=" ".join(map(str, EYE)), fovy=FOVY, blocks=bodies
            )
        )
        model.tex_data[model.tex_adr[1] : model.tex_adr[1] + 3 * TEXTURE**2] = _wood().ravel()
        return model

    @property
    def pixel(self) -> float:
        """Return how many metres a pixel is wide where the blocks stand."""
        distance = float(np.linalg.norm(EYE))
        return 2 * distance * float(np.tan(np.radians(FOVY) / 2)) / self.size

    def render(self, places: Places) -> Images:
        """Return the picture of each scene; places are (scenes, blocks, 4): right, back, up in metres, turned."""
        module, data = load_mujoco(), load_mujoco().MjData(self._model)
        pictures = np.zeros((len(places), self.size, self.size, 3), dtype=np.uint8)
        if not len(places):
            return pictures
        with self._renderer() as renderer:
            for row, scene in enumerate(places):
                data.mocap_pos[:] = scene[:, :3]
                data.mocap_quat[:] = 0
                data.mocap_quat[:, 0], data.mocap_quat[:, 3] = np.cos(scene[:, 3] / 2), np.sin(scene[:, 3] / 2)
                module.mj_forward(self._model, data)
                renderer.update_scene(data, camera="eye")
                fine = renderer.render().reshape(self.size, FINE, self.size, FINE, 3)
                pictures[row] = np.rint(fine.astype(np.float32).mean((1, 3)))
        return pictures

    def _renderer(self) -> Any:
        try:
            return load_mujoco().Renderer(self._model, self.size * FINE, self.size * FINE)
        except Exception as error:  # each of its ways to draw has errors of its own
            raise UsageError(
                f"domain 'tabletop' cannot render by MUJOCO_GL={os.environ.get('MUJOCO_GL', '')} ({error}): install "
                "libegl1 and libegl-mesa0, or libosmesa6 and set MUJOCO_GL=osmesa"
            ) from error


def places_of(columns: NDArray[np.intp], heights: NDArray[np.intp], number: int) -> Places:
    """Return where blocks are that stand in one of a number of columns, at a height: (…, 4)."""
    middle = (columns - (number - 1) / 2) * SPACING
    none = np.zeros_like(middle)
    return np.stack([middle, none, HALF * (2 * heights + 1), none], axis=-1)


def load_mujoco() -> Any:
    """Return the module, set up to render without a screen."""
    if "DISPLAY" not in os.environ:
        os.environ.setdefault("MUJOCO_GL", "egl")  # read when the module is imported
    try:
        import mujoco
    except ImportError as error:
        raise UsageError(f"domain 'tabletop' needs MuJoCo ({error}): pip install mujoco") from error
    return mujoco


def _wood() -> NDArray[np.uint8]:
    """Return the picture of the table: grain along one direction, and spots."""
    rng = np.random.default_rng(TEXTURE_SEED)
    x, y = np.meshgrid(np.linspace(0, 1, TEXTURE), np.linspace(0, 1, TEXTURE))
    waves = zip((9, 17, 31), rng.random(3), strict=True)
    grain = sum(np.sin(2 * np.pi * (often * y + 0.35 * np.sin(2 * np.pi * (x + phase)))) for often, phase in waves)
    coarse = rng.normal(size=(16, 16)).repeat(TEXTURE // 16, 0).repeat(TEXTURE // 16, 1)
    level = 135 + 14 * grain + 12 * coarse
    return np.clip(level[..., None] * np.array([1.1, 0.85, 0.62]), 0, 255).astype(np.uint8)
