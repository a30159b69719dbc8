"""The best of a tuning against what it began with: fresh seeds for both, with commands that only pretend."""

import importlib
import json
from pathlib import Path

import pytest

from cubespace.settings.toml_file import read_toml

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tuning(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    module = importlib.import_module("tuning")
    best = {key: given[0] for key, given in module.read_tuning(ROOT / "examples/paper/tuning.toml").space.items()}

    def cube(run: Path, command: str, *words: str) -> dict[str, object]:
        if command == "tune":
            assert words[1:] == ("--trials", "2")
            return {"trials": [{"value": 0.1, "settings": best}, {"value": 0.4, "settings": {}}]}
        run.mkdir(parents=True, exist_ok=True)
        loss = 0.02 if run.name.startswith("best") else 0.05
        measures = {**dict.fromkeys(module.MEASURES, loss), "exact": 0.9}
        (run / "measures.json").write_text(json.dumps({"validation": {}, "test": measures}))
        return {"cpu_seconds": 3.0}

    monkeypatch.setattr(module, "cube", cube)
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()
    return module


def test_both_settings_are_trained_on_seeds_that_no_trial_had(tuning, monkeypatch) -> None:
    source = ROOT / "examples" / "paper" / "tuning.toml"
    monkeypatch.setattr(
        "sys.argv", ["tuning.py", str(source), "--trials", "2", "--seeds", "600-602", "--folder", "fresh"]
    )
    tuning.main()
    table = json.loads(Path("results/tuning.json").read_text())
    assert [(row["settings"], row["seed"]) for row in table["rows"][:2]] == [("preset", 600), ("best", 600)]
    assert len(table["rows"]) == 6
    for name, bits in (("preset", 50), ("best", 25)):
        config = read_toml(Path(f"fresh/{name}-601.toml"))
        assert config["data"]["seed"] == config["train"]["seed"] == 601, "the tuning had 500"
        assert config["autoencoder"]["bits"] == bits
    text = Path("results/tuning.md").read_text()
    assert "2 trials of one seed, losses on the validation split from 0.1000 to 0.4000" in text
    assert "lower total loss on 3 of 3" in text
    assert "| preset | 0.0500 ± 0.0000 |" in text
    assert "| `autoencoder.bits` | 25, 50, 100 | 25 |" in text
