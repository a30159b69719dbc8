"""The versions of this package and of others."""

from importlib.metadata import PackageNotFoundError, version

__version__ = "0.3.0"


def version_of(distribution: str) -> str | None:
    """Return the version of an installed package, or None if it is absent."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
