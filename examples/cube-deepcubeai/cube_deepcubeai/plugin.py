"""The plugin object; the class is imported on first use."""

from cubespace.plugins.catalogue import provide

deepcubeai = provide(
    "domain", "deepcubeai", "cube_deepcubeai.worlds:DeepCube", "a level of DeepCubeAI: Sokoban, IceSlider, DigitJump"
)
