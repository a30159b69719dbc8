"""``python -m cubespace.cli`` is ``cube``."""

from cubespace.cli import main

main()
