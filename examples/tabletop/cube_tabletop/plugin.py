"""The plugin object; the class, and MuJoCo with it, is imported on first use."""

from cubespace.plugins.catalogue import provide

tabletop = provide("domain", "tabletop", "cube_tabletop.domain:Tabletop", "blocks on a table, rendered, with shadows")
