"""Two rooms, a door between them, a robot and a key: a world with rules, drawn in colour as a camera would see it.

The robot walks in four directions, picks the key up and puts it down. The door opens by itself when the robot brings
the key, and closes behind it. A state is (robot, key): cells 0-8 are the left room, 9-17 the right one, 18 is the
doorway; the key is in a cell or, as 18, in the robot's hand.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Images, States
from cubespace.data.domain import Simulator

ROOM_SIDE = 3  # in cells
DOORWAY = HAND = 2 * ROOM_SIDE * ROOM_SIDE
BESIDE_DOOR = (5, 12)  # the cells left and right of the doorway
CELL_PIXELS = 6
RADICES = (DOORWAY + 1, HAND + 1)

FLOOR, WALL, DOOR, ROBOT, KEY = (22, 24, 34), (104, 112, 130), (226, 74, 66), (70, 176, 250), (252, 214, 60)

# a picture shows a state only if the mean of no block of 3 x 3 pixels differs by more than this, in [0, 1]
BLOCK_TOLERANCE = 0.15


class Rooms(Simulator):
    """The simulator: it draws and reads pictures and knows the rules. Learning sees only the pictures."""

    def __init__(self) -> None:
        every = np.indices(RADICES).reshape(2, -1).T.astype(np.uint8)  # (states, 2)
        self.states = every[_possible(every)]
        self.pictures = np.stack([_draw(*state) for state in self.states.tolist()])
        self.row = np.full(RADICES, -1)
        self.row[tuple(self.states.T)] = np.arange(len(self.states))
        self.blocks = _blocks(self.pictures)

    @property
    def image_shape(self) -> tuple[int, ...]:
        """Return the shape of all pictures."""
        return self.pictures.shape[1:]

    @property
    def radices(self) -> tuple[int, ...]:
        """Return how many values robot and key can have."""
        return RADICES

    def random_states(self, count: int, rng: np.random.Generator) -> States:
        """Draw states that can be reached."""
        return self.states[rng.integers(len(self.states), size=count)]

    def successors(self, states: States) -> tuple[States, NDArray[np.intp]]:
        """Return what the robot can do."""
        children = [(child, parent) for parent, state in enumerate(states.tolist()) for child in _moves(*state)]
        after, parents = zip(*children, strict=True) if children else ((), ())
        return np.array(after, dtype=np.uint8).reshape(-1, 2), np.array(parents, dtype=np.intp)

    def goal(self) -> States:
        """Return robot and key in the far corner of the right room."""
        return np.array([[17, 17]], dtype=np.uint8)

    def render(self, states: States) -> Images:
        """Return clean pictures; `photograph` adds the camera's noise."""
        return self.pictures[self.row[tuple(states.T)]]

    def read(self, images: Images) -> tuple[States, NDArray[np.bool_]]:
        """Return the state that each picture shows, if every part of the picture agrees with it."""
        seen = _blocks(images)
        states, readable = np.zeros((len(images), 2), dtype=np.uint8), np.zeros(len(images), dtype=np.bool_)
        for number, blocks in enumerate(seen):
            worst = np.abs(self.blocks - blocks).reshape(len(self.states), -1).max(1)  # (states,)
            readable[number] = worst.min() <= BLOCK_TOLERANCE
            if readable[number]:
                states[number] = self.states[worst.argmin()]
        return states, readable


def photograph(pictures: Images, rng: np.random.Generator) -> Images:
    """Return pictures as a cheap camera takes them: a little noise in every pixel, a little more or less light."""
    light = rng.normal(1.0, 0.01, (len(pictures), 1, 1, 1))
    noisy = pictures * light + rng.normal(0.0, 3.0, pictures.shape)
    return np.clip(noisy, 0, 255).round().astype(np.uint8)


def _possible(states: States) -> NDArray[np.bool_]:
    """Return which states can be reached: the robot cannot change rooms without the key."""
    robot, key = states.T.astype(int)
    return np.asarray((key == HAND) | (robot // (ROOM_SIDE * ROOM_SIDE) == key // (ROOM_SIDE * ROOM_SIDE)))


def _moves(robot: int, key: int) -> list[tuple[int, int]]:
    moves = [(cell, key) for cell in _neighbours(robot, with_key=key == HAND)]
    if key == robot != HAND:
        moves.append((robot, HAND))
    if key == HAND and robot != DOORWAY:
        moves.append((robot, robot))
    return moves


def _neighbours(robot: int, with_key: bool) -> list[int]:
    if robot == DOORWAY:
        return list(BESIDE_DOOR)
    room, place = divmod(robot, ROOM_SIDE * ROOM_SIDE)
    row, column = divmod(place, ROOM_SIDE)
    steps = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    cells = [
        room * ROOM_SIDE * ROOM_SIDE + r * ROOM_SIDE + c for r, c in steps if 0 <= r < ROOM_SIDE and 0 <= c < ROOM_SIDE
    ]
    return cells + [DOORWAY] * (with_key and robot in BESIDE_DOOR)


def _corner(cell: int) -> tuple[int, int]:
    """Return the upper left pixel of a cell."""
    if cell == DOORWAY:
        return 1 + CELL_PIXELS, 1 + ROOM_SIDE * CELL_PIXELS
    room, place = divmod(cell, ROOM_SIDE * ROOM_SIDE)
    row, column = divmod(place, ROOM_SIDE)
    return 1 + row * CELL_PIXELS, 1 + (room * (ROOM_SIDE + 1) + column) * CELL_PIXELS


def _draw(robot: int, key: int) -> NDArray[np.uint8]:
    open_door = key == HAND and robot in (DOORWAY, *BESIDE_DOOR)
    picture = np.full((ROOM_SIDE * CELL_PIXELS + 2, (2 * ROOM_SIDE + 1) * CELL_PIXELS + 2, 3), WALL, dtype=np.uint8)
    for cell in range(DOORWAY + open_door):  # an open doorway is floor too
        top, left = _corner(cell)
        picture[top : top + CELL_PIXELS, left : left + CELL_PIXELS] = FLOOR
    if not open_door:
        top, left = _corner(DOORWAY)
        picture[top : top + CELL_PIXELS, left + 1 : left + CELL_PIXELS - 1] = DOOR
    if key != HAND:  # it lies along the lower edge, where a robot does not hide it
        top, left = _corner(key)
        picture[top + 4 : top + 6, left : left + CELL_PIXELS] = KEY
        picture[top + 5, left + 2 : left + 5] = FLOOR
    top, left = _corner(robot)
    picture[top : top + 4, left : left + CELL_PIXELS] = ROBOT
    if key == HAND:
        picture[top + 1 : top + 3, left + 1 : left + CELL_PIXELS - 1] = KEY
    return picture


def _blocks(pictures: Images) -> NDArray[np.float32]:
    """Return the means of blocks of 3 x 3 pixels, in [0, 1]; the frame of wall around them is left out."""
    inner = pictures[:, 1:-1, 1:-1].astype(np.float32) / 255
    count, height, width, _ = inner.shape
    return np.asarray(inner.reshape(count, height // 3, 3, width // 3, 3, 3).mean((2, 4)))
