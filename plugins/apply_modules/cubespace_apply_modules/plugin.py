"""Built-in apply modules."""

from cubespace.plugins.catalogue import provide

btl = provide(
    "apply", "btl", "cubespace_apply_modules.back_to_logit:BackToLogit", "Back-to-Logit: add the effect in logit space"
)
minmax = provide("apply", "minmax", "cubespace_apply_modules.minmax:MinMax", "hard min/max of state and effect")
smooth = provide("apply", "smooth", "cubespace_apply_modules.smooth:Smooth", "smooth min/max of state and effect")
blackbox = provide(
    "apply",
    "blackbox",
    "cubespace_apply_modules.blackbox:BlackBox",
    "a dense network of state and action, without STRIPS effects",
)
