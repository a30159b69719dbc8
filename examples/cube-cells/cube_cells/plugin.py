"""The plugin objects; the classes are imported on first use."""

from cubespace.plugins.catalogue import provide

cells = provide("learner", "cells", "cube_cells.cells:CellsLearner", "a grid whose cells each look one of two ways")
difference = provide(
    "action", "difference", "cube_cells.difference:Difference", "a label is inferred from the bits that change"
)
