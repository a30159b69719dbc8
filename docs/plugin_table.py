"""Write the table of built-in plugins into README.md, between its markers: ``python docs/plugin_table.py``."""

from __future__ import annotations

import re
from pathlib import Path

from cubespace.plugins import KINDS, load_plugins

README = Path(__file__).parents[1] / "README.md"
MARKED = re.compile(r"(?<=<!-- plugins -->\n).*?(?=<!-- /plugins -->)", re.DOTALL)


def table() -> str:
    """Return the table: a row per plugin of this distribution, with what it offers."""
    rows = ["| option | plugin | offers |", "|---|---|---|"]
    for kind, components in load_plugins().components.items():
        built_in = [each for each in components.values() if each.distribution.split()[0] == "cubespace"]
        for plugin in dict.fromkeys(each.plugin for each in built_in):
            offered = [each for each in built_in if each.plugin == plugin]
            alone = len(offered) == 1 and offered[0].name == plugin
            words = offered[0].summary if alone else ", ".join(f"`{each.name}`" for each in offered)
            rows.append(f"| `--{KINDS[kind].name}` | `{plugin}` | {words} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    README.write_text(MARKED.sub(lambda _: table(), README.read_text("utf-8")), "utf-8")
