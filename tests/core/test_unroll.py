"""The tree unrolled: every node is what a plan of its own says after the same evidence."""

import numpy as np
import pytest

from ufodt import core

from .small import Small, draw_small, policy

NO_LIMIT = {"max_depth": 99, "max_missing": 99, "min_share": 0.0, "max_nodes": 10**6}


def unrolled(case: Small, *, n_steps: int = 10**6, **limits: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    tree = core.Tree(case.problem, policy(plan="mean"), case.belief, seed=3, number=5)
    while tree.unroll(**{**NO_LIMIT, **limits}, n_steps=n_steps):  # type: ignore[arg-type]
        pass
    return tree.unrolled()


@pytest.mark.parametrize("seed", range(20))
def test_every_node_is_what_a_plan_says_after_the_same_evidence(seed: int) -> None:
    case = draw_small(np.random.default_rng(seed), max_features=4, priced=seed % 2 == 1)
    whole, real, probabilities = unrolled(case)
    parent, branch, feature, answer, is_asked = whole.T.tolist()
    for at in range(len(whole)):
        path, above = [], at
        while parent[above] >= 0:
            path.append((feature[parent[above]], branch[above]))
            above = parent[above]
        plan = case.plan(seed=3, number=5, plan="mean")
        share = 1.0
        for f, outcome in reversed(path):
            assert plan.next()[0] == f  # type: ignore[index]
            if outcome == case.n_outcomes[f]:
                plan.skip(f)
            else:
                share *= plan.outlook(f)[outcome, 0]
                plan.observe(f, outcome)
        question = plan.next()
        assert feature[at] == (-1 if question is None else question[0])
        assert is_asked[at] == (question is not None)
        found, p = plan.predict()
        assert answer[at] == found and probabilities[at].tolist() == p
        price, spent, _, noted = real[at].tolist()
        assert spent == plan.spent and noted == pytest.approx(share)
        assert question is None or price == question[1]


def test_in_how_many_steps_it_is_unrolled_makes_no_difference() -> None:
    case = draw_small(np.random.default_rng(4), max_features=4)
    for one, other in zip(unrolled(case), unrolled(case, n_steps=1), strict=True):
        np.testing.assert_array_equal(one, other)


def test_limits_are_kept() -> None:
    case = draw_small(np.random.default_rng(4), max_features=4)
    everything = len(unrolled(case)[0])
    assert everything > 10
    assert len(unrolled(case, max_nodes=1)[0]) == 1
    assert len(unrolled(case, max_nodes=9)[0]) <= 9
    assert len(unrolled(case, max_depth=0)[0]) == 1
    whole, *_ = unrolled(case, max_missing=0)
    n_outcomes = np.array(case.n_outcomes)
    assert (whole[1:, 1] < n_outcomes[whole[whole[1:, 0], 2]]).all()


def test_a_tree_that_was_walked_down_is_not_unrolled() -> None:
    case = draw_small(np.random.default_rng(4), max_features=4)
    tree = core.Tree(case.problem, policy(plan="mean"), case.belief, seed=0, number=0)
    tree.evaluate(np.zeros((4, case.n_features), dtype=np.int16))
    assert tree.n_nodes > 1
    with pytest.raises(ValueError, match="walked down"):
        tree.unroll(**NO_LIMIT, n_steps=1)  # type: ignore[arg-type]


def test_a_tree_that_was_walked_down_meanwhile_is_not_unrolled_further() -> None:
    case = draw_small(np.random.default_rng(3), max_features=4)
    tree = core.Tree(case.problem, policy(plan="mean"), case.belief, seed=3, number=5)
    assert tree.unroll(**NO_LIMIT, n_steps=1)  # type: ignore[arg-type]
    tree.evaluate(np.array([[k - 1 for k in case.n_outcomes]], dtype=np.int16))
    with pytest.raises(ValueError, match="walked down"):
        tree.unroll(**NO_LIMIT, n_steps=1)  # type: ignore[arg-type]
