"""Learners that ask all there is, and what features cost and what is bought in their sessions."""

from typing import Any

from ufodt import UFODT, Problem, Session, stop
from ufodt.features import Feature

from .cases import walk

NEVER = stop.confidence(1.0)  # on its own: asks all there is


def learner_of(features: list[Feature], *, rule: stop.Stop = NEVER, **settings: Any) -> UFODT:
    return UFODT(Problem(features, labels=[0, 1], **settings), criterion="ig", stop=rule, seed=1)


def prices(session: Session) -> dict[str, float]:
    return {reason.feature: reason.price for reason in session.why()}


def bought(learner: UFODT) -> list[tuple[str, float]]:
    """What a case asks for, in its order, and at what price."""
    row = dict.fromkeys((feature.name for feature in learner.problem.features), 0)
    return [(question.feature, question.price) for question in walk(learner.open(), row)]
