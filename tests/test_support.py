"""What the other tests stand on."""

import sys
import types

from command import python


def test_a_process_does_not_import_the_script_that_runs_the_tests(tmp_path, monkeypatch) -> None:
    script = tmp_path / "pytest"  # without a guard, it would run the tests again
    script.write_text(f"open({str(tmp_path / 'again')!r}, 'w')")
    main = types.ModuleType("__main__")
    main.__file__ = str(script)
    monkeypatch.setitem(sys.modules, "__main__", main)
    assert python("-c", "print(6 * 7)").stdout == "42\n"
    assert not (tmp_path / "again").exists()
    assert sys.modules["__main__"] is main
