"""Built-in bit learners."""

from cubespace.plugins.catalogue import provide

autoencoder = provide(
    "learner",
    "autoencoder",
    "cubespace_bit_learners.autoencoder:AutoencoderLearner",
    "the Cube-Space AutoEncoder, trained by gradient",
)
places = provide(
    "learner",
    "places",
    "cubespace_bit_learners.places.learner:PlacesLearner",
    "groups of pixels that vary together, each a variable with a value per pattern",
)
piles = provide(
    "learner", "piles", "cubespace_bit_learners.piles.learner:PilesLearner", "what lies in each column, however high"
)
