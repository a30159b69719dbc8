"""The settings of a run: recipe, configuration, presets, checks."""
