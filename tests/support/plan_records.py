"""Records of plans, put together for tests."""

from cubespace.evaluation.plan_record import PlanRecord


def plan_record(plan: tuple[int, ...] | None = (0,), valid: bool | None = True, **facts: object) -> PlanRecord:
    """A search of ``fd-lmcut`` for instance 000, with these facts instead of the usual ones."""
    usual = {
        "key": "",
        "problem": "000",
        "planner": "fd-lmcut",
        "outcome": "out of time" if plan is None else "solved",
        "detail": "",
        "trace": None,
        "optimal": valid,
        "reason": "",
        "wrong_step": None,
        "seconds": 1.0,
        "known_states": None if plan is None else len(plan) + 1,
        "known_transitions": None if plan is None else len(plan),
        "unseen_steps": None if plan is None else (),
    }
    return PlanRecord(plan=plan, valid=valid, **{**usual, **facts})
