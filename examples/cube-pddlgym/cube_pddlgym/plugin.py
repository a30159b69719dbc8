"""The plugin object; the class is imported on first use."""

from cubespace.plugins.catalogue import provide

pddlgym = provide("domain", "pddlgym", "cube_pddlgym.worlds:PddlGym", "a problem of PDDLGym: Hanoi, Blocks, Sokoban …")
