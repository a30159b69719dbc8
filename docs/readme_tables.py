"""Write the tables of README.md, from the registry and results/, between their markers: run it without arguments."""

from __future__ import annotations

import re
from pathlib import Path

from cubespace.plugins.catalogue import load_plugins

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


def plugins() -> str:
    """Return the table: a row per plugin of this distribution, with what it offers."""
    rows = ["| option | plugin | offers |", "|---|---|---|"]
    for kind, components in load_plugins().components.items():
        built_in = [each for each in components.values() if each.distribution.split()[0] == "cubespace"]
        for plugin in dict.fromkeys(each.plugin for each in built_in):
            offered = [each for each in built_in if each.plugin == plugin]
            alone = len(offered) == 1 and offered[0].name == plugin
            words = offered[0].summary if alone else ", ".join(f"`{each.name}`" for each in offered)
            option = f"--set model.{kind}=" if kind in ("encoder", "decoder") else f"--{kind}"
            rows.append(f"| `{option}` | `{plugin}` | {words} |")
    return "\n".join(rows) + "\n"


def results() -> str | None:
    """Return the short table of results as it was printed, or None if there is none to show."""
    path = ROOT / "results" / "summary.md"
    return path.read_text("utf-8") if path.is_file() else None


TABLES = {"plugins": plugins, "results": results}


def marked(name: str) -> re.Pattern[str]:
    """Return the pattern of what stands between the markers of a table."""
    return re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)


if __name__ == "__main__":
    text = README.read_text("utf-8")
    for name, make in TABLES.items():
        table = make()
        if table is not None:
            text = marked(name).sub(table.replace("\\", r"\\"), text)
    README.write_text(text, "utf-8")
