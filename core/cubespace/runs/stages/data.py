"""The stage ``data``: draw the data set."""

from __future__ import annotations

from cubespace.base.images import contact_sheet, side_by_side, write_png
from cubespace.data import transitions
from cubespace.data.domain import Explorer
from cubespace.data.spoiling import clean
from cubespace.plugins.blame import blame
from cubespace.runs.folder.contents import RunContents
from cubespace.settings.stages import DATA

SHOWN_PAIRS = 24  # on the sheet of examples


def draw_data(run: RunContents) -> None:
    """Draw the transitions of the run's domain and keep them."""
    config = run.run.config
    run.observer.stage("data", f"transitions of {config.domain}")
    with run.run.stage("data", [("domain", config.domain)]):
        domain = run.domain(stream=0)
        source = clean(domain)
        if isinstance(source, Explorer):
            source.explore(lambda done, known: run.observer.step(done, known, f"{known} states found"))
        with blame(domain):
            drawn = transitions.draw(
                domain, config.domain, config.data.transitions, config.data.seed, split=config.data.split
            )
        if drawn.note:
            run.observer.say(f"data: {drawn.note}")
        drawn.save(run.run.file(DATA), source.findings() if isinstance(source, Explorer) else {})
        shown = drawn.pairs[drawn.train[:SHOWN_PAIRS]]
        write_png(run.run.file("data.png"), contact_sheet(side_by_side(shown.before, shown.after)))
