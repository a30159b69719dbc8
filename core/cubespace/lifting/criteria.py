"""What lifting takes for a rule of the world, and what for an accident of the data."""

from __future__ import annotations

import attrs


@attrs.frozen(kw_only=True)
class Criteria:
    """The numbers by which lifting decides; settings of the same names are in the section ``lift``."""

    level: float = 1e-3  # largest probability with which chance may pass for a rule, over all tests of one kind
    least_share: float = 0.01  # of all transitions; a form of event that fewer of them show is an accident
    most_accidents: float = 0.1  # of all transitions; with more accidents than this there is no model
    accident_rate: float = 0.02  # of what is expected; what is seen no more often is a picture misread or a wrong pair
    least_states: int = 5  # states that must show a value before it can be named by what is absent from all of them
