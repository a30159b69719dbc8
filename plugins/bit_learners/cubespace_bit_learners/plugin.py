"""Built-in bit learners."""

from cubespace.plugins.catalogue import join, provide

piles = join(
    provide(
        "encoder",
        "piles",
        "cubespace_bit_learners.piles.networks:PilesEncoder",
        "what lies in each column, however high",
    ),
    provide(
        "decoder",
        "piles",
        "cubespace_bit_learners.piles.networks:PilesDecoder",
        "every column drawn by the same network",
    ),
)
places = join(
    provide(
        "encoder",
        "places",
        "cubespace_bit_learners.places.networks:PlacesEncoder",
        "groups of pixels that vary together, each a variable with a value per pattern",
    ),
    provide(
        "decoder",
        "places",
        "cubespace_bit_learners.places.networks:PlacesDecoder",
        "every place shows the pattern of its value",
    ),
)
