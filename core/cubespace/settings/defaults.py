"""The components of a run that names none: the only names of plugins in core, all in one place."""

DOMAIN = "mnist"
PLANNER = "fd-lmcut"
COMPARED_PLANNER = "fd-blind"  # what plots of effort compare others with: it has no heuristic
PRECONDITION = "static"  # of bit learners that name none
EXECUTOR = "local"
TRAINED_LEARNER = "autoencoder"  # the learner of an apply module, and of pictures that suit no quick learner
APPLY = "btl"
ENCODER = "mlp"
DECODER = "sprites"
ACTION_MODEL = "posterior"
OBJECTIVE = "likelihood"
ACTION_MODEL_WITHOUT_EFFECTS = "head"  # of an apply module that has no STRIPS effects to infer labels from …
OBJECTIVE_WITHOUT_EFFECTS = "paper"  # … and the objective that goes with it
EXTENSIONS: tuple[str, ...] = ()
FORMER_PARTS = {  # of a network of version 0.2.0 that does not say
    "autoencoder.decoder": "mlp",
    "autoencoder.action": "head",
    "autoencoder.objective": "paper",
}
FORMER_STEPS = {  # training steps that settings of version 0.2.0 stood for
    "train.consolidation.rounds": "consolidate",
    "train.rewrite": "rewrite",
    "model.discriminator_width": "discriminate",
}
FORMER_ENCODERS = ("places", "piles")  # encoders of version 0.2.0 that are learners now
