"""What a result belongs to, besides settings: the versions of components, and the files of the user."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import attrs

from cubespace.base.errors import CubeError
from cubespace.base.options import parse_spec, rooted
from cubespace.plugins.catalogue import Catalogue

FileDigest = Callable[[Path], str]  # the hash of a file


def component_identities(catalogue: Catalogue, named: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return what tells each component, given as kind and spec, from other versions of itself."""
    return {
        f"{kind} {name}": catalogue.find(kind, name).identity()
        for kind, name in ((kind, parse_spec(spec).name) for kind, spec in named)
    }


def same_components(catalogue: Catalogue, known: Mapping[str, str]) -> bool:
    """Return whether the components that did a stage are still the same.

    One that is no longer installed counts as the same: its results can still be read, if not made again.
    """
    for title, identity in known.items():
        kind, _, name = title.partition(" ")
        try:
            if catalogue.find(kind, name).identity() != identity:
                return False
        except (CubeError, KeyError):
            continue
    return True


def source_digests(catalogue: Catalogue, kind: str, spec: str, home: Path, digest: FileDigest) -> dict[str, str]:
    """Return the hashes of the files and folders that the options of a component name, by the path as it is written."""
    parsed = parse_spec(spec)
    options = catalogue.find(kind, parsed.name).options(parsed.options)
    paths = {key: value for key, value in attrs.asdict(options, recurse=False).items() if isinstance(value, Path)}
    found = attrs.asdict(rooted(options, home), recurse=False)
    return {str(path): _source_digest(found[key], digest) for key, path in paths.items() if found[key].exists()}


def same_sources(known: Mapping[str, str], home: Path, digest: FileDigest) -> bool:
    """Return whether the user's files are as they were; those that are gone, as on another machine, do not count."""
    present = {path: expected for path, expected in known.items() if (home / path).exists()}
    return all(_source_digest(home / path, digest) == expected for path, expected in present.items())


def _source_digest(path: Path, digest: FileDigest) -> str:
    """Return the hash of a file; of a folder, that of the names and sizes of all files in it."""
    if path.is_file():
        return digest(path)
    listing = sorted((str(file.relative_to(path)), file.stat().st_size) for file in path.rglob("*") if file.is_file())
    return hashlib.sha256(repr(listing).encode()).hexdigest()
