"""Built-in domains: the puzzles of the paper, and the user's own pictures."""

from cubespace.plugins.catalogue import provide

TILES = "cubespace_domains.puzzle:SlidingTiles"

mnist = provide("domain", "mnist", TILES, "sliding tiles, handwritten digits", source="mnist")
mandrill = provide("domain", "mandrill", TILES, "sliding tiles, the mandrill test picture", source="mandrill")
spider = provide("domain", "spider", TILES, "sliding tiles, a drawn spider", source="spider")
photo = provide("domain", "photo", TILES, "sliding tiles, any picture (a cat unless image=PATH)", source="cat")
lightsout = provide("domain", "lightsout", "cubespace_domains.lightsout:LightsOut", "lamps that toggle in crosses")
twisted = provide("domain", "twisted", "cubespace_domains.twisted:TwistedLightsOut", "LightsOut, swirled")
hanoi = provide("domain", "hanoi", "cubespace_domains.hanoi:Hanoi", "the towers of Hanoi")
blocks = provide("domain", "blocks", "cubespace_domains.blocks:Blocks", "coloured blocks, stacked in columns")
images = provide("domain", "images", "cubespace_domains.own_images:OwnImages", "your own pairs, path=PATH")
frames = provide("domain", "frames", "cubespace_domains.frames:Frames", "a world given by all its frames and moves")
gym = provide("domain", "gym", "cubespace_domains.gym:GymWorld", "a level of Gymnasium, all its states, id=NAME")
gym_walks = provide("domain", "gym-walks", "cubespace_domains.gym:GymWalks", "random walks through such a level")
