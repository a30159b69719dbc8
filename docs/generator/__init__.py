"""The parts of the documentation that are made, not written; ``docs/generate.py`` puts them where they belong."""
