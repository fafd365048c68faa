"""How far several answers are trusted: less where features repeat each other, fully where they do not."""

import numpy as np
import pytest
from scipy import stats

from .small import Small, small


def taught(*, copies: bool, n: int = 600, seed: int = 1) -> Small:
    """A belief that saw four features of two labels: the first one four times over, or four of their own."""
    rng = np.random.default_rng(seed)
    case = small([2] * 4)
    case.belief.learn_temper()
    for label in rng.integers(2, size=n).tolist():
        seen = (rng.random(4) < (0.7 if label else 0.3)).astype(int)
        values = [seen[0]] * 4 if copies else seen
        case.belief.update([(f, int(k)) for f, k in enumerate(values)], label)
    return case


def test_copies_of_one_feature_are_trusted_less_and_features_of_their_own_in_full() -> None:
    assert taught(copies=True).belief.exponent <= 0.55
    assert taught(copies=False).belief.exponent == 1.0


def test_trust_is_not_learned_unless_asked_for() -> None:
    case = small([2, 2])
    for _ in range(50):
        case.belief.update([(0, 1), (1, 1)], 0)
    assert not case.belief.temper.any() and case.belief.exponent == 1.0


def test_what_is_learned_of_trust_adds_up_and_fades() -> None:
    one, other = taught(copies=True).belief, taught(copies=True, seed=2).belief
    sums = one.temper + other.temper
    one.merge(other)
    np.testing.assert_allclose(one.temper, sums, rtol=1e-12)
    one.discount(0.25)
    np.testing.assert_allclose(one.temper, 0.75 * sums, rtol=1e-12)


def test_an_answer_is_as_sure_as_its_evidence_is_trusted() -> None:
    case = taught(copies=True)
    plan = case.plan(stop=[], criterion="ig")
    for feature in range(4):
        plan.observe(feature, 1)
    trusted = max(plan.predict()[1])
    assert 0.6 < trusted < 0.85  # one answer says 0.7; four taken at their word would say 0.97


@pytest.mark.parametrize("n_outcomes", [2, 3])
def test_blocks_of_512_hypotheses_follow_theta(n_outcomes: int) -> None:
    case = small([n_outcomes] * 3, prior=np.random.default_rng(3).gamma(2.0, 1.0, (3 * n_outcomes, 2)) + 0.1)
    statistic = freedom = 0.0
    for number in range(150):
        plan = case.plan(number=number, n_hypotheses=512, redraw_below=0)
        theta, label = plan.theta()
        outcomes, _, _ = plan.hypotheses()
        for feature in range(3):
            expected = 512 * (theta[case.rows(feature)] @ label)
            found = np.bincount(outcomes[:, feature], minlength=n_outcomes)
            keep = expected > 5
            if keep.all():
                statistic += float(((found - expected) ** 2 / expected).sum())
                freedom += n_outcomes - 1
    assert 1e-4 < stats.chi2.sf(statistic, freedom) < 1 - 1e-9
