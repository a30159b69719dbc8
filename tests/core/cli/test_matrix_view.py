from cubespace.cli.matrix_view import NAME_WIDTH, _short


def test_a_job_is_named_by_what_differs() -> None:
    assert _short("minmax-static-a2323f12.train") == "minmax-static.train"
    long = _short("smooth-counterexamples-fd-lmcut-0-93f01234")
    assert long == "…ounterexamples-fd-lmcut-0"
    assert len(long) == NAME_WIDTH
