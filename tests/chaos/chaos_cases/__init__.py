"""The cases of ``chaos.py``: what is done to ``cube``, class by class, and how each case is run and judged."""
