"""Built-in apply modules. No file is called like a plugin: its import would take the place of the plugin."""

from cubespace.plugins import provide

btl = provide(
    "apply", "btl", "cubespace_apply_modules.back_to_logit:BackToLogit", "Back-to-Logit: add the effect in logit space"
)
minmax = provide("apply", "minmax", "cubespace_apply_modules.min_max:MinMax", "hard min/max of state and effect")
smooth = provide(
    "apply", "smooth", "cubespace_apply_modules.smooth_min_max:Smooth", "smooth min/max of state and effect"
)
blackbox = provide("apply", "blackbox", "cubespace_apply_modules.black_box:BlackBox", "any network of state and action")
