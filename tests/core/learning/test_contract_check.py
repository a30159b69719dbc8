"""A learner whose code has the wrong form is named at once."""

import numpy as np
import pytest
from builders import learned_code
from toggles import toggles

from cubespace.base.errors import ContractError
from cubespace.learning.contract_check import check_code

PAIRS = toggles(100)
LEARNER = object()


@pytest.fixture
def code(tmp_path):
    return learned_code("places", tmp_path, PAIRS)


def test_a_good_code_passes(code) -> None:
    assert check_code(code, LEARNER, PAIRS.before) is code


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda code: setattr(code, "image_shape", (3, 3)), r"of pictures \(3, 3\), not \(12, 12\)"),
        (lambda code: setattr(code, "groups", (1, 2)), "18 bits, and groups of 2"),
        (lambda code: setattr(code, "bits", 17), None),
        (lambda code: setattr(code, "encode_pictures", lambda _: None), "bits of its code must be bool .* not None"),
        (lambda code: setattr(code, "encode_pictures", lambda x: np.zeros((len(x), 18))), "not float64"),
        (lambda code: setattr(code, "decode", lambda _: np.zeros((8, 3), dtype=np.float32)), "drawn pictures of its"),
        (lambda code: setattr(code, "decode", lambda _: np.full((8, 12, 12), 2, np.float32)), "not all from 0 to 1"),
        (lambda code: setattr(code, "decode", lambda _: np.full((8, 12, 12), np.nan, np.float32)), "from 0 to 1"),
    ],
)
def test_a_code_of_the_wrong_form_is_blamed_on_its_learner(code, spoil, words) -> None:
    spoil(code)
    with pytest.raises(ContractError, match=words) as caught:
        check_code(code, LEARNER, PAIRS.before)
    assert caught.value.component is LEARNER


def test_what_is_not_a_code_is_blamed_on_its_learner() -> None:
    with pytest.raises(ContractError, match="it returned dict, not a Code"):
        check_code({}, LEARNER, PAIRS.before)
