import hashlib
import os
from collections import Counter
from pathlib import Path

import attrs
import pytest
from command import python

from cubespace.base.errors import InputError, UsageError
from cubespace.base.files import sha256, write_text
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.folder.manifest import write_manifest
from cubespace.runs.folder.run_folder import RunFolder, default_folder
from cubespace.settings.check import resolve_components
from cubespace.settings.run_config import RunConfig, load_config
from cubespace.settings.stages import STAGES


def test_a_run_folder_can_be_opened_again(tmp_path) -> None:
    config = load_config(None, {"train.epochs": 3})
    RunFolder.start(tmp_path / "run", config)
    assert RunFolder.load(tmp_path / "run").config == config
    assert RunFolder.start(tmp_path / "run", config).config == config
    assert (tmp_path / "run" / "environment.json").is_file()


def test_other_training_settings_are_refused_with_their_keys(tmp_path) -> None:
    RunFolder.start(tmp_path, RunConfig())
    with pytest.raises(UsageError, match=r"train\.epochs"):
        RunFolder.start(tmp_path, load_config(None, {"train.epochs": 3}))
    RunFolder.start(tmp_path, load_config(None, {"plan.length": 3}))  # planning may change


def test_another_precision_is_another_training_and_stands_in_the_manifest(tmp_path) -> None:
    run = RunFolder.start(tmp_path, load_config(None, {"train.precision": "bf16"}))
    with pytest.raises(UsageError, match=r"other settings: train\.precision"):
        RunFolder.start(tmp_path, RunConfig())
    assert run.config.own_key("train") != RunConfig().own_key("train")
    with run.stage("train"):
        for file in STAGES["train"].files:
            write_text(run.file(file), "x")
    assert "bf16" in (tmp_path / "manifest.json").read_text()
    assert RunFolder.load(tmp_path).records()["train"].settings == {"train.precision": "bf16"}


def test_a_foreign_folder_is_left_alone(tmp_path) -> None:
    (tmp_path / "precious").touch()
    with pytest.raises(InputError, match="not empty"):
        RunFolder.start(tmp_path, RunConfig())
    with pytest.raises(InputError, match="not a run folder"):
        RunFolder.load(tmp_path)


def test_a_folder_that_cannot_be_made_is_named(tmp_path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"cannot write to .*file/run"):
        RunFolder.start(tmp_path / "file" / "run", RunConfig())


def test_a_finished_stage_is_known_until_its_settings_or_files_change(tmp_path) -> None:
    run = RunFolder.start(tmp_path, RunConfig())
    assert not run.finished("data")
    with run.stage("data"):
        write_text(run.file("data.npz"), "x")
    assert run.finished("data")
    assert not attrs.evolve(run, config=load_config(None, {"data.seed": 1})).finished("data")
    write_text(run.file("data.npz"), "y")
    assert not run.finished("data")


def test_a_file_that_somebody_changes_during_a_command_is_not_believed(tmp_path) -> None:
    run = RunFolder.start(tmp_path, RunConfig())
    with run.working():
        do(run, "data")
        do(run, "train")
        assert run.finished("train")
        file = run.file("code.safetensors")
        times = file.stat()
        file.write_text("y")  # in its place, of the same size …
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))  # … and apparently as old
        assert not run.finished("train")
        file.write_text("x")
        assert run.finished("train")
        run.file("data.npz").unlink()
        assert run.finished_stages() == frozenset()


def test_a_file_that_somebody_changes_between_two_commands_is_noticed(tmp_path) -> None:
    run = RunFolder.start(tmp_path, RunConfig())
    do(run, "data")
    write_text(run.file("data.npz"), "y")
    assert not RunFolder.load(tmp_path).finished("data")


def test_each_file_is_hashed_once_and_anew_when_work_begins(tmp_path, monkeypatch) -> None:
    run = RunFolder.start(tmp_path, RunConfig())
    for name in ("data", "train", "extract", "evaluate"):
        do(run, name)
    hashed: Counter[str] = Counter()
    digest = hashlib.file_digest

    def file_digest(file, *rest):
        hashed[Path(file.name).name] += 1
        return digest(file, *rest)

    monkeypatch.setattr(hashlib, "file_digest", file_digest)
    assert run.finished_stages() == {"data", "train", "extract", "evaluate"}
    assert not hashed  # when the stages were done
    with run.working():
        assert all(run.finished(name) for name in ("evaluate", "extract", "train", "data"))
        assert run.finished_stages() == {"data", "train", "extract", "evaluate"}
    assert set(hashed.values()) == {1}
    assert set(hashed) == {file for name in run.records() for file in STAGES[name].files}


def test_a_manifest_that_another_process_has_written_is_read_again(tmp_path) -> None:
    run, other = RunFolder.start(tmp_path, RunConfig()), RunFolder.load(tmp_path)
    assert not run.finished("data")
    do(other, "data")
    assert run.finished("data")


def test_a_folder_that_is_only_prepared_is_not_written_to(tmp_path) -> None:
    run = RunFolder.prepare(tmp_path / "run", RunConfig())
    assert not run.path.exists()
    with run.working():
        assert RunFolder.load(run.path).config == RunConfig()


def do(run: RunFolder, name: str, text: str = "x", **options) -> None:
    """Do a stage that writes the same text into all its files."""
    with run.stage(name, **options):
        for file in STAGES[name].files:
            write_text(run.file(file), text)


def test_a_stage_that_fails_leaves_its_record_as_it_was(tmp_path) -> None:
    run = RunFolder.start(tmp_path, RunConfig())
    do(run, "data")

    def fail() -> None:
        with run.stage("train"):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert run.finished("data")
    assert not run.finished("train")


def test_a_stage_counts_while_the_files_it_was_made_from_are_the_same(tmp_path) -> None:
    run = RunFolder.start(tmp_path, RunConfig())
    for name in ("data", "train", "extract"):
        do(run, name)
    do(run, "data")
    assert run.finished("extract")  # the same data again
    do(run, "data", "y")
    assert run.finished("data")
    assert not run.finished("train")
    assert not run.finished("extract")  # though model and bits are those it was made from: their stage is open
    do(run, "data")
    assert run.finished("extract")


def test_a_diagnosis_that_looked_at_results_is_of_those_results(tmp_path) -> None:
    run = RunFolder.start(tmp_path, RunConfig())
    for name in ("data", "train", "extract", "diagnose"):
        do(run, name)
    assert run.finished("diagnose")
    do(run, "evaluate")
    assert not run.finished("diagnose")  # there are results now that it knows nothing of
    do(run, "diagnose")
    assert run.finished("diagnose")
    do(run, "evaluate", "y")
    assert not run.finished("diagnose")


@pytest.mark.parametrize(
    ("stage", "settings", "key"),
    [
        ("data", {}, "3394d7974024f592a7f60d4b2c2877586a409f20773fad2ed590f2aed3fe958a"),
        ("data", {"data.seed": 7}, "61d86fbb573ba30eb1fd286d97515f5139f81e2079320a67f8eeac3cd94f66a0"),
        ("evaluate", {}, "08f3112cb497900917874e8492fb25ac2a0c56b071d633b1677d440711926fbe"),
        ("evaluate", {"plan.length": 14}, "4746de8c91930becd5703b2e3399b4c0099b7adb4882bad2e2312f6356c14bd9"),
    ],
)
def test_a_new_setting_at_its_default_changes_no_key(stage, settings, key) -> None:
    """Only what differs from the default is hashed, so these keys hold until the revision of their stage is raised."""
    assert load_config(None, settings).own_key(stage) == key


@pytest.mark.parametrize(
    ("kind", "name", "open_stages"),
    [
        ("precondition", "values", {"extract", "evaluate"}),
        ("learner", "places", {"train", "extract", "evaluate"}),
        ("planner", "fd-lmcut", {"evaluate"}),
        ("domain", "mnist", {"data", "train", "extract", "evaluate"}),
    ],
)
def test_a_raised_revision_opens_exactly_the_stages_that_depend_on_it(
    tmp_path, monkeypatch, kind, name, open_stages
) -> None:
    run = RunFolder.start(tmp_path, RunConfig())
    stages = {"data": ("domain", "mnist"), "train": ("learner", "places"), "extract": ("precondition", "values")}
    for stage, component in {**stages, "evaluate": ("planner", "fd-lmcut")}.items():
        do(run, stage, components=[component])
    assert run.finished("evaluate")
    monkeypatch.setattr(run.catalogue.find(kind, name).load(), "revision", 99)
    assert {stage for stage in run.records() if not run.finished(stage)} == open_stages


def test_a_component_without_a_revision_is_told_by_the_version_of_its_package(tmp_path, monkeypatch) -> None:
    run = RunFolder.start(tmp_path, RunConfig())
    component = run.catalogue.find("apply", "btl")
    monkeypatch.delattr(component.load(), "revision")
    assert component.identity() == component.distribution
    assert attrs.evolve(component, distribution="cubespace 99").identity() == "cubespace 99"


def test_a_component_that_is_gone_does_not_take_its_results_along(tmp_path) -> None:
    run = RunFolder.start(tmp_path, RunConfig())
    do(run, "data", components=[("domain", "mnist")])
    record = run.records()["data"]
    gone = attrs.evolve(record, components={"domain vanished": "revision 1"})
    write_manifest(run.file("manifest.json"), {"data": gone})
    assert run.finished("data")


def test_pictures_of_the_user_that_change_open_the_stage_that_read_them(tmp_path) -> None:
    picture = tmp_path / "cat.png"
    picture.write_bytes(b"one")
    config = load_config(None, {"domain": f"photo:image={picture}"})
    run = RunFolder.start(tmp_path / "run", config)
    do(run, "data", components=[("domain", config.domain)])
    assert run.finished("data")
    picture.write_bytes(b"two")
    assert not run.finished("data")
    picture.unlink()  # as on another machine
    assert run.finished("data")


@pytest.fixture
def pictures(tmp_path) -> Path:
    """A folder of two pairs, and a table and a film of the same files."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    for name in ("1_a.png", "1_b.png", "2_a.png", "2_b.png"):
        (folder / name).write_bytes(name.encode())
    (folder / "notes.txt").write_text("no picture")
    (tmp_path / "pairs.csv").write_text("pictures/1_a.png,pictures/1_b.png\npictures/2_a.png,pictures/2_b.png\n")
    return folder


@pytest.mark.parametrize(
    "domain", ["images:path={0}", "images:frames={0}", "images:video={0}", "images:path={0}/../pairs.csv"]
)
def test_pictures_that_change_in_place_open_the_stage_whatever_their_size_and_time(domain, pictures, tmp_path) -> None:
    config = load_config(None, {"domain": domain.format(pictures)})
    run = RunFolder.start(tmp_path / "run", config)
    do(run, "data", components=[("domain", config.domain)])
    assert run.finished("data")
    picture = pictures / "2_b.png"
    before = picture.stat()
    picture.write_bytes(b"2-b-png")
    os.utime(picture, ns=(before.st_atime_ns, before.st_mtime_ns))  # as an archive is unpacked
    assert picture.stat().st_size == before.st_size
    assert not run.finished("data")
    assert not RunFolder.load(run.path).finished("data")
    picture.write_bytes(b"2_b.png")
    (pictures / "notes.txt").write_text("still no picture")
    assert run.finished("data") is ("video" not in domain), "a folder of videos has no other files"


def test_pictures_are_hashed_once_though_every_command_looks_at_them(pictures, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("cubespace.runs.folder.kept_hashes.SETTLED_NS", 0)
    config = load_config(None, {"domain": f"images:path={pictures}"})
    run = RunFolder.start(tmp_path / "run", config)
    with run.working():
        do(run, "data", components=[("domain", config.domain)])
    hashed: list[str] = []

    def digest(path: Path) -> str:
        hashed.append(path.name)
        return sha256(path)

    monkeypatch.setattr("cubespace.runs.folder.run_folder.sha256", digest)
    assert RunFolder.load(run.path).finished("data")
    assert hashed == ["data.npz"]
    run.file("hashes.json").write_text('{"/x": [1], "y": 2')  # of no use, and no harm
    assert RunFolder.load(run.path).finished("data")
    assert sorted(hashed[1:]) == ["1_a.png", "1_b.png", "2_a.png", "2_b.png", "data.npz"]


def test_a_stage_can_be_taken_over_from_a_run_of_the_same_settings(tmp_path) -> None:
    first, second = (RunFolder.start(tmp_path / name, RunConfig()) for name in ("first", "second"))
    do(first, "data")
    second.adopt(first, "data")
    assert second.finished("data")
    do(second, "data", "z")
    assert first.finished("data")  # neither can change the other's files
    other = RunFolder.start(tmp_path / "third", load_config(None, {"data.seed": 5}))
    with pytest.raises(UsageError, match="no finished stage 'data' of the same settings"):
        other.adopt(first, "data")
    with pytest.raises(UsageError, match="no finished stage 'train'"):
        second.adopt(first, "train")


def test_the_same_component_spelt_otherwise_is_the_same_run(tmp_path) -> None:
    plain = resolve_components(load_plugins(), RunConfig())
    longer = resolve_components(load_plugins(), load_config(None, {"domain": "mnist:size=3"}))
    other = resolve_components(load_plugins(), load_config(None, {"domain": "mnist:size=4"}))
    assert longer == plain
    assert other.domain == "mnist:size=4"
    assert default_folder(longer) == default_folder(plain)
    written = tmp_path / "config.toml"
    written.write_text('domain = "mnist:size=3"')  # a run of before
    RunFolder.start(tmp_path, plain)


def test_two_processes_do_not_work_on_one_run(tmp_path) -> None:
    run = RunFolder.start(tmp_path, RunConfig())
    code = (
        f"from cubespace.runs.folder.run_folder import RunFolder\nwith RunFolder.load({str(tmp_path)!r}).locked(): pass"
    )
    with run.locked():
        answer = python("-c", code)
    assert "in use by another process" in answer.stderr
    assert python("-c", code).returncode == 0


def test_the_settings_of_a_run_at_work_are_not_changed(tmp_path) -> None:
    run = RunFolder.start(tmp_path, RunConfig())
    before = run.file("config.toml").read_bytes()
    code = (
        "from pathlib import Path\nfrom cubespace.runs.folder.run_folder import RunFolder\n"
        "from cubespace.settings.run_config import load_config\n"
        f"RunFolder.start(Path({str(tmp_path)!r}), load_config(None, {{'plan.length': 3}}))"
    )
    with run.locked():
        answer = python("-c", code)
    assert "in use by another process" in answer.stderr
    assert run.file("config.toml").read_bytes() == before
    assert python("-c", code).returncode == 0
    assert RunFolder.load(tmp_path).config.plan.length == 3


def test_the_same_training_has_the_same_folder() -> None:
    assert default_folder(RunConfig()) == default_folder(load_config(None, {"plan.length": 3}))
    assert default_folder(RunConfig()) != default_folder(load_config(None, {"train.epochs": 3}))
