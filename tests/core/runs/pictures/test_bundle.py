"""Bundles of strangers: nothing in them is run, imported or read beside them, and parts that do not fit are refused."""

import hashlib
import io
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import attrs
import numpy as np
import pytest

from cubespace.base.closed_options import closed
from cubespace.base.errors import InputError
from cubespace.base.options import option
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.runs.pictures import bundle
from cubespace.runs.pictures.bundle import CARD, write_bundle
from cubespace.runs.pictures.opening import OnlyClosed, Unjudged, bundle_domain, open_planning
from cubespace.settings.recipe import Execution
from cubespace.settings.run_config import load_config

OLD = Path(__file__).parents[3] / "data" / "model-0.2.0.cube"  # made by that version, as it was released
Content = dict[str, bytes]
EVIL = "from pathlib import Path\nPath(__file__).with_name('canary').touch()\n"


def forged(source: Path, change: Callable[[Content], None]) -> Path:
    """Return a copy of a bundle with its contents changed, and hashes that fit."""
    with zipfile.ZipFile(source) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    change(content)
    card = json.loads(content.pop(CARD))
    card["files"] = {name: hashlib.sha256(data).hexdigest() for name, data in content.items()}
    target = source.with_name("forged.cube")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(CARD, json.dumps(card))
        for name, data in content.items():
            archive.writestr(name, data)
    return target


def arrays(**changed: np.ndarray) -> Callable[[bytes], bytes]:
    """Return a change of a file of arrays."""

    def change(data: bytes) -> bytes:
        content = {**dict(np.load(io.BytesIO(data))), **changed}
        file = io.BytesIO()
        np.savez_compressed(file, allow_pickle=False, **content)
        return file.getvalue()

    return change


@pytest.fixture
def good(default_run, tmp_path) -> Path:
    return write_bundle(RunFolder.load(default_run), tmp_path / "good.cube", "CC0")


def opened(path: Path):
    return open_planning(path, load_plugins(), Execution(device="cpu"))


def test_a_bundle_of_the_version_before_is_refused_with_one_line() -> None:
    with pytest.raises(
        InputError, match=r"model-0\.2\.0\.cube is a bundle of format 1, this version reads 2"
    ) as caught:
        opened(OLD)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "spec",
    [
        "gym:id=evilmod:X-v0",
        "gym-walks:id=evilmod:X-v0",
        "gym:id=CartPole-v1,arguments=file:/etc/passwd",
        "gym",
        "images:path=/etc/passwd",
        "frames:path=/etc/passwd",
        "photo:image=/etc/passwd",
        "no-such-domain",
    ],
)
def test_only_a_closed_domain_judges_a_bundle(spec, tmp_path, monkeypatch) -> None:
    (tmp_path / "evilmod.py").write_text(EVIL)
    monkeypatch.syspath_prepend(tmp_path)
    built = bundle_domain(load_config(None, {"domain": spec}), (8, 8), load_plugins())
    assert isinstance(built, Unjudged)
    assert "evilmod" not in sys.modules
    assert not (tmp_path / "canary").exists()


@pytest.mark.parametrize("spec", ["lightsout:size=2", "hanoi:disks=3", "photo:source=spider", "spider"])
def test_domains_of_numbers_and_choices_judge(spec) -> None:
    assert not isinstance(bundle_domain(load_config(None, {"domain": spec}), (8, 8), load_plugins()), Unjudged)


def test_a_domain_with_other_options_is_closed_only_by_its_own_word() -> None:
    domains = {name: load_plugins().find("domain", name).load() for name in load_plugins().names("domain")}
    ours = {name for name, cls in domains.items() if cls.closed and cls.__module__.startswith("cubespace_domains")}
    assert ours == {"mnist", "mandrill", "spider", "photo", "lightsout", "twisted", "hanoi", "blocks"}


@attrs.frozen
class Options:
    width: int = option(1, "")
    shape: tuple[int, ...] = option((1,), "")
    file: Path | None = option(None, "")
    name: str = option("usual", "")
    names: tuple[str, ...] = option((), "")


def test_options_are_closed_unless_a_text_or_a_path_is_given() -> None:
    for given in (Options(), Options(width=5), Options(shape=(2, 3))):
        assert closed(given, Options())
    for given in (Options(file=Path("x")), Options(name="evil:X"), Options(names=("a:b",))):
        assert not closed(given, Options())
    with pytest.raises(InputError, match="which no bundle may name"):
        OnlyClosed.of(load_plugins()).create("domain", "images:path=x")


def test_parts_of_other_models_are_refused_by_the_name_of_the_bundle(good) -> None:
    wide = np.zeros((3, 3), dtype=np.uint8)  # three states of 24 bits
    sides = {f"{split}_{side}": wide for split in ("train", "validation", "test") for side in ("before", "after")}

    def bits(content: Content) -> None:
        content["bits.npz"] = arrays(bits=np.array(24), **sides)(content["bits.npz"])

    def masks(content: Content) -> None:
        names = ("add", "delete", "positive", "negative")
        rows = len(np.load(io.BytesIO(content["strips.npz"]))["add"])
        none = {"mutexes": np.zeros((48, 6), dtype=np.uint8), "groups": np.arange(24)}
        wider = {name: np.zeros((rows, 3), dtype=np.uint8) for name in names}
        content["strips.npz"] = arrays(bits=np.array(24), **none, **wider)(content["strips.npz"])

    def domain(content: Content) -> None:
        content["config.toml"] = content["config.toml"].replace(b"lightsout:size=2", b"lightsout:size=5")

    def error(content: Content) -> None:
        table = json.loads(content["extraction.json"])
        content["extraction.json"] = json.dumps({**table, "redrawing_error": float("nan")}).encode()

    complaints = {
        bits: r"bits\.npz' has 24 bits and code\.safetensors has 8",
        masks: r"strips\.npz' has 24 bits and code\.safetensors has 8",
        domain: r"config\.toml' has a domain with pictures of",
        error: r"extraction\.json' is damaged: .*redrawing_error",
    }
    assert opened(forged(good, lambda _: None)).memory is not None
    for change, complaint in complaints.items():
        with pytest.raises(InputError, match=complaint) as caught:
            opened(forged(good, change))
        assert "forged.cube: " in str(caught.value), "and not a temporary folder that is gone"


def test_what_would_fill_the_memory_is_refused_before_it_is_read(good) -> None:

    def pddl(content: Content) -> None:
        content["domain.pddl"] = bytes(bundle.MAX_FILE["domain.pddl"] + 1)

    def bits(content: Content) -> None:
        content["bits.npz"] = arrays(train_before=np.zeros((1 << 20, 300), dtype=np.uint8))(content["bits.npz"])

    for change, complaint in ((pddl, "too large for a bundle: domain.pddl"), (bits, "bits.npz' is too large: 300 MB")):
        with pytest.raises(InputError, match=complaint):
            opened(forged(good, change))
