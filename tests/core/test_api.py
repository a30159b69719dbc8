import json
import subprocess
import sys

import attrs
import numpy as np
import pytest
from PIL import Image
from tiny_run import HASTY, reseal

import cubespace
from cubespace.api import configure
from cubespace.base.errors import InputError, UsageError
from cubespace.base.images import read_picture
from cubespace.settings.run_config import RunConfig
from cubespace.symbols.strips import load_strips, save_strips


def test_importing_the_package_does_not_import_torch() -> None:
    code = "import cubespace, sys; assert 'cubespace.api' not in sys.modules; cubespace.Run; "
    code += "assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_name_is_there_and_no_other() -> None:
    for name in cubespace.__all__:
        assert getattr(cubespace, name) is not None
    with pytest.raises(AttributeError, match="plam"):
        _ = cubespace.plam


@pytest.mark.parametrize(
    "config",
    [None, RunConfig(), {"autoencoder": {"bits": 100}}, {"autoencoder.bits": 100}],
    ids=["none", "tree", "nested", "dots"],
)
def test_settings_of_any_form_go_on_top_of_each_other(config) -> None:
    given = configure(config, {"apply": "minmax", "seed": 3, "train__epochs": 7, "planners": ["fd-ff"]})
    assert (given.autoencoder.apply, given.train.epochs, given.plan.planners) == ("minmax", 7, ("fd-ff",))
    assert (given.data.seed, given.train.seed, given.extract.seed, given.plan.seed) == (3, 3, 3, 3)
    assert (
        config is None
        or isinstance(config, RunConfig)
        or config in ({"autoencoder": {"bits": 100}}, {"autoencoder.bits": 100})
    )


def test_settings_come_from_a_file_too(tiny_run) -> None:
    given = configure(tiny_run / "config.toml", {"instances": 9})
    assert (given.domain, given.plan.instances, given.autoencoder.bits) == ("lightsout:size=2", 9, 12)


def test_wrong_names_are_refused_before_any_work(tmp_path) -> None:
    with pytest.raises(UsageError, match="fd-lmcut"):
        cubespace.run(HASTY, planners=["fd-lmctu"], folder=tmp_path / "run")
    with pytest.raises(UsageError, match="epochs"):
        cubespace.run(train__epoch=3, folder=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("settings", [HASTY, {"data.transitions": 300}], ids=["plain", "default"])
def test_train_learns_and_solves_nothing(tmp_path, settings) -> None:
    run = cubespace.train(settings, domain="lightsout:size=2", folder=tmp_path / "run")
    assert run.strips.actions > 0
    assert run.code.image_shape == run.domain.image_shape == run.data.train.before.shape[1:]
    with pytest.raises(InputError, match=rf"no finished stage 'evaluate': cube evaluate {run.path} does it"):
        _ = run.results
    learner = "autoencoder, btl" if settings is HASTY else "places"
    assert f"lightsout:size=2 · {learner}</b>" in run._repr_html_()


def test_a_plan_between_files_and_between_arrays(any_run, tmp_path) -> None:
    run = cubespace.Run.load(any_run)
    files = [any_run / "problems" / "000" / f"{name}.png" for name in ("init", "goal")]
    plan = run.plan(*files)
    assert plan.found
    assert len(plan) == len(plan.actions) == 2
    assert plan.frames is not None
    assert plan.frames.shape == (3, *run.code.image_shape)
    assert plan.record["optimal"] is True
    arrays = [np.array(read_picture(path)) for path in files]
    assert len(run.plan(*arrays, planner="pyperplan-bfs")) == 2
    assert plan.strip().size[0] > 100
    assert json.loads((plan.save(tmp_path / "plan") / "result.json").read_text())["valid"] is True


def test_results_report_and_pictures(any_run) -> None:
    run = cubespace.Run.load(any_run)
    assert run.results["planners"]["fd-lmcut"]["found"] == 4
    assert run.report() == any_run / "report.html"
    for shown in (
        run,
        run.strips,
        run.plan(*[any_run / "problems" / "001" / f"{name}.png" for name in ("init", "goal")]),
    ):
        html = shown._repr_html_()
        assert html.startswith("<div>") or "<div>" in html
    assert run._repr_html_().count("data:image/png") == 6  # init, three frames, goal, animation
    assert f"{run.code.bits} bits, {run.strips.actions} actions" in run._repr_html_()


def test_a_plan_that_is_none_says_why(tiny_run) -> None:
    run = cubespace.Run.load(tiny_run)
    strips = load_strips(tiny_run / "strips.npz")
    masks = ("add", "delete", "positive", "negative", "support", "cost")
    first = attrs.evolve(strips, names=strips.names[:1], **{name: getattr(strips, name)[:1] for name in masks})
    save_strips(tiny_run / "strips.npz", first)  # one action alone does not take two steps
    reseal(tiny_run, "extract", "strips.npz")
    files = [tiny_run / "problems" / "000" / f"{name}.png" for name in ("init", "goal")]
    plan = run.plan(*files, time_limit=20)
    assert not plan.found
    assert plan.actions == ()
    assert "No plan" in plan._repr_html_()
    with pytest.raises(UsageError, match="no plan to show: unsolvable in the learned model"):
        plan.strip()


def test_a_picture_of_the_wrong_size_is_refused(tiny_run, tmp_path) -> None:
    run = cubespace.Run.load(tiny_run)
    Image.new("L", (30, 30)).save(tmp_path / "large.png")
    with pytest.raises(InputError, match="trained on 18x18"):
        run.plan(tmp_path / "large.png", tmp_path / "large.png")
    assert run.picture(tmp_path / "large.png", resize=True).shape == (1, 18, 18)
