"""Optuna's dashboard opens what a tuning keeps, with its learning curves."""

import json
from wsgiref.util import setup_testing_defaults

import pytest
from tiny_matrix import DEFAULTS, InProcess
from tiny_run import HASTY

from cubespace.base.options import NoOptions
from cubespace.plugins.catalogue import load_plugins

pytest.importorskip("optuna", reason="cube tune needs the extra [tune]")
dashboard = pytest.importorskip("optuna_dashboard", reason="opens the storage with the real optuna-dashboard")

from cubespace.experiments.tuning.storage import open_storage  # noqa: E402
from cubespace.experiments.tuning.study import TuningRun  # noqa: E402
from cubespace.experiments.tuning.tuning_file import Tuning  # noqa: E402


def asked(application, path: str) -> dict:
    environment: dict = {"PATH_INFO": path, "REQUEST_METHOD": "GET"}
    setup_testing_defaults(environment)
    answer = b"".join(application(environment, lambda *_: None))
    return json.loads(answer)


@pytest.mark.parametrize("shared", [True, False], ids=["SQLite", "journal"])
def test_the_dashboard_shows_studies_by_name_and_trials_with_their_curves(tmp_path, shared) -> None:
    storage = f"sqlite:///{tmp_path}/s.db" if shared else None
    settings = {**DEFAULTS, **HASTY, "train.epochs": 5}
    tuning = Tuning(settings=settings, space={"autoencoder.bits": [8, 12]}, sampler="random", pruner="median")
    run = TuningRun(tmp_path / "t", tuning, load_plugins(), storage).run(2, InProcess(NoOptions()))
    application = dashboard.wsgi(open_storage(storage or f"journal:{tmp_path / 't' / 'journal.log'}"))
    (study,) = asked(application, "/api/studies")["study_summaries"]
    assert study["study_name"].startswith("cube-tune-lightsout-loss-")
    trials = asked(application, f"/api/studies/{study['study_id']}")["trials"]
    shown = [{point["step"]: point["value"] for point in trial["intermediate_values"]} for trial in trials]
    assert shown == [trial.intermediate_values for trial in run.trials]
    assert sum(len(curve) > 2 for curve in shown) == 2
