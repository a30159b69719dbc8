"""Built-in parts of the autoencoder: encoders, decoders, action models, objectives."""

from cubespace.plugins.catalogue import join, provide

mlp = join(
    provide("encoder", "mlp", "cubespace_networks.mlp:MlpEncoder", "dense layers on all pixels"),
    provide("decoder", "mlp", "cubespace_networks.mlp:MlpDecoder", "dense layers to all pixels"),
)
conv = join(
    provide(
        "encoder", "conv", "cubespace_networks.conv:ConvEncoder", "two convolutions, then dense layers (the paper's)"
    ),
    provide("decoder", "conv", "cubespace_networks.conv:ConvDecoder", "dense layers, then two convolutions"),
)
head = provide(
    "action", "head", "cubespace_networks.action_head:ActionHead", "a network with Gumbel-Softmax (the paper's)"
)
posterior = provide(
    "action", "posterior", "cubespace_networks.posterior:Posterior", "Bayes' rule on the apply module's probabilities"
)
likelihood = provide(
    "objective",
    "likelihood",
    "cubespace_networks.likelihood:LikelihoodObjective",
    "likelihood of pictures and transitions, actions summed out, bits that mean one thing (ours)",
)
sprites = provide("decoder", "sprites", "cubespace_networks.sprites:SpritesDecoder", "one sprite per true bit (ours)")
paper = provide(
    "objective", "paper", "cubespace_networks.paper_objective:PaperObjective", "the terms of the paper, with delays"
)
