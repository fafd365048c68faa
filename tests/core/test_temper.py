"""How far several answers are trusted: less where features repeat each other, fully where they do not."""

import numpy as np

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
    assert taught(copies=True).belief.overlap == 1
    assert taught(copies=False).belief.overlap == 0


def test_trust_is_not_learned_unless_asked_for() -> None:
    case = small([2, 2])
    for _ in range(50):
        case.belief.update([(0, 1), (1, 1)], 0)
    assert not case.belief.temper.any() and case.belief.overlap == 0


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
    assert 0.65 < trusted < 0.75  # one answer says 0.7; four taken at their word would say 0.97


def test_of_very_many_labels_one_in_four_is_judged_for_all_and_none_is_left_out() -> None:
    rng = np.random.default_rng(1)
    case = small([2] * 2, 4)
    case.belief.learn_temper()
    n_judged = np.zeros((2, 4), dtype=int)  # up to 512 labels, and from then on; labels take turns
    for i in range(4512):
        before = case.belief.temper
        case.belief.update([(0, int(rng.integers(2))), (1, int(rng.integers(2)))], i % 4)
        judged = not np.array_equal(before, case.belief.temper)
        n_judged[int(i >= 512), i % 4] += judged
        if i > 512 and judged:
            assert case.belief.temper[0] - before[0] < 4 * np.log(0.3)  # each stands for four of one in four
    assert (n_judged[0] > 100).all() and n_judged[0].sum() <= 512
    assert (abs(n_judged[1] - 250) < 40).all()
