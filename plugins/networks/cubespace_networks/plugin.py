"""Built-in encoders and decoders."""

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
