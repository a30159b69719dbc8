"""What a result belongs to, besides settings: the versions of components, and the files of the user."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import attrs

from cubespace.base.errors import CubeError, InputError, UsageError
from cubespace.base.options import parse_spec, rooted
from cubespace.plugins.blame import blame
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


def source_digests(catalogue: Catalogue, spec: str, home: Path, digest: FileDigest) -> dict[str, str]:
    """Return the hash of the content of all files behind each path that the options of a domain name.

    The path is as it is written there. Files that do not exist, as on another machine, are left out.
    """
    parsed = parse_spec(spec)
    component = catalogue.find("domain", parsed.name)
    options = component.options(parsed.options)
    written = {key: value for key, value in attrs.asdict(options, recurse=False).items() if isinstance(value, Path)}
    if not written:
        return {}
    cls, found = component.load(), attrs.asdict(rooted(options, home), recurse=False)
    with blame(cls):
        behind = {key: list(cls.files_behind(key, found[key])) for key in written if found[key].exists()}
    digests = {str(written[key]): _source_digest(found[key], files, digest) for key, files in behind.items()}
    return {path: value for path, value in digests.items() if value is not None}


def same_sources(catalogue: Catalogue, spec: str, known: Mapping[str, str], home: Path, digest: FileDigest) -> bool:
    """Return whether the user's files are as they were; those that are gone do not count, nor does a missing plugin."""
    if not known:
        return True
    try:
        present = source_digests(catalogue, spec, home, digest)
    except UsageError:
        return True
    return all(present[path] == expected for path, expected in known.items() if path in present)


def _source_digest(path: Path, files: Sequence[Path], digest: FileDigest) -> str | None:
    """Return the hash of a file, or of the names and contents of all files behind a path; None if one is gone."""
    if files == [path]:
        return digest(path) if path.is_file() else None
    if not all(file.is_file() for file in files):
        return None
    start = path if path.is_dir() else path.parent
    listing = sorted((os.path.relpath(file, start), _content(file, digest)) for file in files)
    return hashlib.sha256(repr(listing).encode(errors="surrogateescape")).hexdigest()


def _content(file: Path, digest: FileDigest) -> str:
    try:
        return digest(file)
    except InputError:  # it cannot be read, which the domain reports better
        return ""
