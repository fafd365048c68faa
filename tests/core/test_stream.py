"""Whole streams in the core do what single plans do, case by case."""

from collections.abc import Iterator

import numpy as np
import pytest

from ufodt import core

from .small import CRITERIA, Small, draw_small, policy, small

_Case = tuple[int, float, float, list[int]]  # answer, its probability, cost, questions


def draw_table(rng: np.random.Generator, case: Small, n: int, *, missing: float = 0.1) -> np.ndarray:
    table = np.stack([rng.integers(0, k, n) for k in case.n_outcomes], axis=1)
    table[rng.random(table.shape) < missing] = -1
    return table.astype(np.int16)


def walk(plan: core.Plan, row: np.ndarray) -> _Case:
    asked = []
    while (question := plan.next()) is not None:
        feature = question[0]
        if row[feature] < 0:
            plan.skip(feature)
        else:
            plan.observe(feature, int(row[feature]))
            asked.append(feature)
    answer, p = plan.predict()
    return answer, p[answer], plan.spent, asked


def cases(record: tuple[np.ndarray, ...]) -> list[_Case]:
    predicted, probability, cost, n_asked, asked = (array.tolist() for array in record)
    ends = np.cumsum(n_asked)
    return [
        (y, p, c, asked[end - n : end])
        for y, p, c, n, end in zip(predicted, probability, cost, n_asked, ends, strict=True)
    ]


def draw_settings(rng: np.random.Generator) -> dict[str, object]:
    distinct = bool(rng.random() < 0.4)
    return {
        "stop": [("any", 0.0, 2), ("region", 0.0, 0), ("cost_benefit", float(rng.choice([2.0, 30.0])), 0)],
        "distinct": distinct,
        "redraw_below": 0 if distinct else 16,
        "n_hypotheses": int(rng.choice([10, 64, 100])),
        "predict_theta": bool(rng.random() < 0.5),
        "plan": "mean" if rng.random() < 0.2 else "draw",
    }


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_run_equals_plan_after_plan(criterion: str) -> None:
    rng = np.random.default_rng(41)
    for i in range(25):
        case, settings = draw_small(rng, priced=True), draw_settings(rng)
        table = draw_table(rng, case, 30)
        labels = rng.integers(-1, case.n_labels, 30).astype(np.int32)
        belief = case.belief.copy()
        expected = []
        for n, (row, label) in enumerate(zip(table, labels.tolist(), strict=True)):
            expected.append(walk(case.plan(seed=i, number=100 + n, criterion=criterion, **settings), row))
            if label >= 0:
                case.belief.update([(f, int(row[f])) for f in expected[-1][3]], label)
        record = core.run(
            case.problem,
            policy(criterion=criterion, **settings),
            belief,
            seed=i,
            number=100,
            outcomes=table,
            labels=labels,
        )
        assert cases(record) == expected
        np.testing.assert_array_equal(belief.counts, case.belief.counts)
        np.testing.assert_array_equal(belief.label_counts, case.belief.label_counts)


def trees_beside_plans(
    criterion: str, seed: int, *, n_problems: int, n_rows: int
) -> Iterator[tuple[Small, np.ndarray, core.Tree, core.Plan]]:
    """Small problems, each with a table, a tree for it and the plan that the tree stands for."""
    rng = np.random.default_rng(seed)
    for i in range(n_problems):
        case, settings = draw_small(rng, priced=True), draw_settings(rng)
        table = draw_table(rng, case, n_rows)
        tree = core.Tree(case.problem, policy(criterion=criterion, **settings), case.belief, seed=i, number=9)
        yield case, table, tree, case.plan(seed=i, number=9, criterion=criterion, **settings)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_memoised_tree_answers_like_a_plan_for_every_row(criterion: str) -> None:
    for _, table, tree, plan in trees_beside_plans(criterion, 42, n_problems=25, n_rows=60):
        expected = []
        for row in table:
            plan.reset()
            expected.append(walk(plan, row))
        got = [*cases(tree.evaluate(table[:20])), *cases(tree.evaluate(table[20:]))]
        assert [g[:2] + g[3:] for g in got] == [e[:2] + e[3:] for e in expected]
        np.testing.assert_allclose([g[2] for g in got], [e[2] for e in expected], rtol=1e-12)
        nodes = tree.n_nodes
        tree.evaluate(table)
        assert tree.n_nodes == nodes, "rows seen before reach no new node"


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_posteriors_of_a_tree_are_those_of_its_plans(criterion: str) -> None:
    for case, table, tree, plan in trees_beside_plans(criterion, 46, n_problems=10, n_rows=40):
        posteriors = tree.posteriors(table)
        assert posteriors.shape == (40, case.n_labels)
        for row, found in zip(table, posteriors, strict=True):
            plan.reset()
            walk(plan, row)
            np.testing.assert_array_equal(found, plan.predict()[1])
        assert tree.posteriors(table[:0]).shape == (0, case.n_labels)


def test_a_tree_keeps_the_belief_it_was_made_from() -> None:
    rng = np.random.default_rng(43)
    case = draw_small(rng)
    table = draw_table(rng, case, 50)
    make = lambda: core.Tree(case.problem, policy(), case.belief, seed=1, number=1)  # noqa: E731
    expected, tree = cases(make().evaluate(table)), make()
    for _ in range(50):
        case.belief.update([(0, 0)], 0)
    assert cases(tree.evaluate(table)) == expected


def test_an_empty_stream_changes_nothing() -> None:
    case = draw_small(np.random.default_rng(44))
    none = np.empty((0, case.n_features), dtype=np.int16)
    record = core.run(
        case.problem, policy(), case.belief, seed=0, number=0, outcomes=none, labels=np.empty(0, dtype=np.int32)
    )
    assert [len(array) for array in record] == [0] * 5
    assert not case.belief.counts.any()


@pytest.mark.parametrize(
    ("n_hypotheses", "distinct"),
    [
        (3, False),
        (40, False),
        (70, False),
        (128, False),
        (70, True),
    ],
)
def test_a_long_run_equals_the_same_cases_each_on_its_own(n_hypotheses: int, distinct: bool) -> None:
    """A run goes through all cases with one plan: nothing of a case may be left when the next begins."""
    rng = np.random.default_rng(45)
    case = small([2, 3, 4, 2, 2, 3], 3, prior=rng.gamma(1.0, 2.0, (16, 3)) + 0.2)
    table = draw_table(rng, case, 300 if distinct else 2000)
    labels = rng.integers(-1, 3, len(table)).astype(np.int32)
    setting = policy(
        stop=[("region", 0.0, 0)] if distinct else [],
        n_hypotheses=n_hypotheses,
        distinct=distinct,
        redraw_below=0 if distinct else n_hypotheses,
    )
    whole, apart = case.belief.copy(), case.belief.copy()
    record = core.run(case.problem, setting, whole, seed=1, number=0, outcomes=table, labels=labels)
    alone = []
    for n in range(len(table)):
        one = slice(n, n + 1)
        alone += cases(
            core.run(case.problem, setting, apart, seed=1, number=n, outcomes=table[one], labels=labels[one])
        )
    assert cases(record) == alone
    np.testing.assert_array_equal(whole.counts, apart.counts)
