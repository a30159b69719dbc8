"""The training steps besides the paper's joint training, each a plugin of its own."""

from cubespace.plugins.catalogue import provide

ROOM = "cubespace.autoencoder.extensions"

states = provide(
    "extension", "states", f"{ROOM}.two_stage:StatePhase", "the State AutoEncoder alone, in place of the joint training"
)
actions = provide(
    "extension", "actions", f"{ROOM}.two_stage:ActionPhase", "the Action AutoEncoder on the frozen bits of `states`"
)
consolidate = provide(
    "extension", "consolidate", f"{ROOM}.consolidate:ConsolidationPhase", "the encoder is led to steady bits (ours)"
)
rewrite = provide(
    "extension", "rewrite", f"{ROOM}.rewrite:RewritePhase", "effects are set to the differences of bits (ours)"
)
discriminate = provide(
    "extension", "discriminate", f"{ROOM}.discriminate:DiscriminatorPhase", "the action discriminator of AMA2"
)
decoder = provide(
    "extension", "decoder", f"{ROOM}.finish_decoder:DecoderPhase", "the decoder alone, on frozen hard bits (ours)"
)
