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
piles = join(
    provide(
        "encoder", "piles", "cubespace_networks.piles.networks:PilesEncoder", "what lies in each column, however high"
    ),
    provide(
        "decoder", "piles", "cubespace_networks.piles.networks:PilesDecoder", "every column drawn by the same network"
    ),
)
places = join(
    provide(
        "encoder",
        "places",
        "cubespace_networks.places.networks:PlacesEncoder",
        "groups of pixels that vary together, each a variable with a value per pattern",
    ),
    provide(
        "decoder",
        "places",
        "cubespace_networks.places.networks:PlacesDecoder",
        "every place shows the pattern of its value",
    ),
)
