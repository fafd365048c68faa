"""Outcomes that come together: counts are what was seen, answers and plans are the closed forms."""

from typing import Any

import numpy as np
import pytest

from ufodt import core

from .small import Small, draw_small, policy, small

STRENGTH, LITTLE_GIVEN, LITTLE = 5.0, 0.01, 0.1
PAIRED = np.array([0.0] * 5 + [100.0] + [0.0] * 4)  # sums of trust: labels were likelier with pairs, none shared
HALF = np.array([0.0] * 5 + [0.0, 0.0, 100.0, 0.0, 0.0])


def taught(rng: np.random.Generator, case: Small, n: int = 60, sums: np.ndarray = PAIRED) -> np.ndarray:
    """Teach a belief outcomes that hang together, some not known; return N(a, b, y), rows x rows x labels."""
    belief, n_rows = case.belief, sum(case.n_outcomes)
    belief.learn_temper()
    belief.learn_pairs()
    counts = np.zeros((n_rows, n_rows, case.n_labels))
    for _ in range(n):
        label, hidden = int(rng.integers(case.n_labels)), int(rng.integers(3))
        seen = {
            f: int((hidden + (rng.random() < 0.3)) % n_outcomes)
            for f, n_outcomes in enumerate(case.n_outcomes)
            if rng.random() < 0.8
        }
        belief.update(list(seen.items()), label)
        rows = [case.rows(f).start + k for f, k in seen.items()]
        for a in rows:
            for b in rows:
                counts[a, b, label] += a != b
    belief.set_temper(sums)
    assert belief.is_paired
    return counts


def lift(case: Small, counts: np.ndarray, p: np.ndarray, told: int, feature: int) -> np.ndarray:
    """How much likelier each outcome of a feature is after the row that was told, where both were known; by hand."""
    of_told = next(case.rows(f) for f in range(case.n_features) if told in range(*case.rows(f).indices(len(p))))
    known = counts[of_told, case.rows(feature)]  # outcomes of one x outcomes of the other x labels
    both = counts[told, case.rows(feature)]
    n_all = known.sum(axis=(0, 1))
    by_chance = both.sum(axis=0) * known.sum(axis=0) / np.where(n_all > 0, n_all, 1)
    few = STRENGTH * (known.sum(axis=0) + STRENGTH * p[case.rows(feature)]) / (n_all + STRENGTH)
    return np.asarray((both + few) / (by_chance + few))


def given(case: Small, counts: np.ndarray, p: np.ndarray, told: int, feature: int) -> np.ndarray:
    """P(outcome | label, the row that was told) of a feature, by hand."""
    likelier = p[case.rows(feature)] * lift(case, counts, p, told, feature)
    return np.asarray(likelier / likelier.sum(axis=0))


def expected(case: Small, counts: np.ndarray, p: np.ndarray, told: list[int], feature: int) -> np.ndarray:
    """P(outcome | label, all that was told): the mean, weighted by how far each is from what it is without."""
    each = np.array([given(case, counts, p, row, feature) for row in told])
    without = p[case.rows(feature)]
    weights = ((each - without) ** 2 / without).sum(axis=1).mean(axis=1) + LITTLE_GIVEN
    return np.asarray(np.average(each, axis=0, weights=weights))


def by_hand(case: Small, counts: np.ndarray, evidence: dict[int, int], overlap: float = 0.0) -> np.ndarray:
    """P(label | evidence): the weighted geometric mean of the models in which all answers depend on one of them.

    Of two answers each model has half of what both say, one given the other and the other given the one.
    """
    p, label = case.belief.mean()
    rows = [case.rows(f).start + k for f, k in evidence.items()]
    told = np.log(p[rows])
    log_p = told.sum(axis=0) + bonds_by_hand(case, counts, evidence)
    tells = np.ptp(told, axis=1) if rows else np.zeros(1)
    n_answers = max(tells.sum() ** 2 / max((tells**2).sum(), 1e-300), 1.0)
    log_p = np.log(label) + n_answers**-overlap * log_p
    return np.asarray(np.exp(log_p - np.logaddexp.reduce(log_p)))


def bonds_by_hand(case: Small, counts: np.ndarray, evidence: dict[int, int]) -> np.ndarray:
    """What pairs add to log P(evidence | label)."""
    p, _ = case.belief.mean()
    rows = [case.rows(f).start + k for f, k in evidence.items()]
    if len(rows) < 2:
        return np.zeros(case.n_labels)
    bonds = np.zeros((len(rows), len(rows), case.n_labels))
    for i, a in enumerate(rows):
        for j, (f, k) in enumerate(evidence.items()):
            if i != j:
                bonds[i, j] = np.log(lift(case, counts, p, a, f)[k])
    bonds = (bonds + bonds.swapaxes(0, 1)) / 2
    weights = (np.ptp(bonds, axis=2) ** 2).sum(axis=1) + LITTLE
    return np.asarray(np.average(bonds.sum(axis=1), axis=0, weights=weights))


def outcomes(rng: np.random.Generator, case: Small, n: int) -> dict[int, int]:
    features = rng.permutation(case.n_features)[:n].tolist()
    return {f: int(rng.integers(case.n_outcomes[f])) for f in features}


@pytest.mark.parametrize("seed", range(40))
def test_answers_are_the_closed_form_in_any_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    case = draw_small(rng, max_features=6)
    sums, overlap = (PAIRED, 0.0) if seed % 2 else (HALF, 0.5)
    counts = taught(rng, case, sums=sums)
    evidence = outcomes(rng, case, int(rng.integers(case.n_features + 1)))
    answer = by_hand(case, counts, evidence, overlap)
    for order in (list(evidence), list(evidence)[::-1]):
        plan = case.plan(stop=[], criterion="ig")
        for f in order:
            plan.observe(f, evidence[f])
        np.testing.assert_allclose(plan.predict()[1], answer, rtol=1e-9)
    row = np.full((1, case.n_features), -1, dtype=np.int16)
    row[0, list(evidence)] = list(evidence.values())
    found = case.belief.posteriors(case.problem, row, np.zeros((1, 0)), [-1] * case.n_features)
    np.testing.assert_allclose(found[0], answer, rtol=1e-9)


def expected_next(case: Small, counts: np.ndarray, theta: np.ndarray, evidence: dict[int, int], **settings: Any) -> Any:
    """What a belief would ask that is certain of theta, and of the labels, given the answers."""
    now, p = theta.copy(), case.belief.mean()[0]
    rows = [case.rows(f).start + k for f, k in evidence.items()]
    for f in range(case.n_features):
        if f not in evidence:
            now[case.rows(f)] = expected(case, counts, theta, rows, f)
    labels = by_hand(case, counts, evidence) * np.prod(theta[rows] / p[rows], axis=0)
    certain = core.Belief(case.problem, np.maximum(now, 1e-9) * 1e9, labels / labels.sum() * 1e9, False)
    plan = core.Plan(case.problem, policy(**{**settings, "plan": "mean"}), certain, seed=1, number=0)
    for f in evidence:
        plan.skip(f)
    return plan.next()


def assert_same_question(found: Any, expected: Any) -> None:
    assert (found is None) == (expected is None)
    if found is not None:
        assert found[:2] == expected[:2]
        assert found[2] == pytest.approx(expected[2], rel=1e-3, abs=1e-5)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("plan", ["draw", "mean"])
def test_a_case_is_planned_under_theta_given_what_was_told(seed: int, plan: str) -> None:
    rng = np.random.default_rng(seed)
    case = draw_small(rng, max_features=6, priced=True)
    counts = taught(rng, case)
    settings = {"criterion": "ig", "stop": [("cost_benefit", 30.0, 0)], "plan": plan}
    open_case = case.plan(seed=seed, **settings)
    theta, _ = open_case.theta()
    evidence = outcomes(rng, case, int(rng.integers(1, case.n_features + 1)))
    for f, k in evidence.items():
        open_case.observe(f, k, False)
    assert_same_question(open_case.next(), expected_next(case, counts, theta, evidence, **settings))
    p = case.belief.mean()[0]
    rows = [case.rows(f).start + k for f, k in evidence.items()]
    for f in range(case.n_features):
        if f not in evidence:
            outlook = open_case.outlook(f)
            chances = expected(case, counts, p, rows, f)
            np.testing.assert_allclose(outlook[:, 0], chances @ by_hand(case, counts, evidence), rtol=1e-6)
            for k, after in enumerate(outlook[:, 1:]):
                np.testing.assert_allclose(after, by_hand(case, counts, {**evidence, f: k}), rtol=1e-6)


def test_so_is_what_an_outcome_is_expected_to_add_to_a_price() -> None:
    rng = np.random.default_rng(5)
    case = small([2, 3, 2, 4])
    taught(rng, case)
    surcharge = rng.uniform(0.0, 9.0, 11)
    priced = core.Problem([2, 3, 2, 4], 2, case.price, case.price, case.group, case.loss, surcharge=surcharge.tolist())
    plan = core.Plan(priced, policy(criterion="ig", stop=[], plan="mean"), case.belief, seed=1, number=0)
    for feature, outcome in ((0, 1), (1, 2)):
        plan.observe(feature, outcome, False)
    for f in (2, 3):
        assert plan.price(f) == pytest.approx(1.0 + plan.outlook(f)[:, 0] @ surcharge[case.rows(f)])


def test_so_it_is_under_each_of_several_draws() -> None:
    """After an alarm a case is planned under one draw after the other; each is given what was told before its turn."""
    n_turned = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        case = small([2, 3, 2, 4])
        counts = taught(rng, case)
        drift = core.Drift(automatic=True)
        drift.restore(case.belief, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1, 0, []), case.belief.copy())
        settings = {"criterion": "ig", "stop": [("cost_benefit", 12.0, 0)], "plan": "draw"}
        plan = core.Plan(case.problem, policy(**settings), case.belief, seed=seed, number=0, drift=drift)
        first, _ = plan.theta()
        evidence = outcomes(rng, case, 2)
        for f, k in evidence.items():
            plan.observe(f, k, False)
        found = plan.next()
        theta, _ = plan.theta()
        n_turned += found is not None and not np.array_equal(theta, first)
        assert_same_question(found, expected_next(case, counts, theta, evidence, **settings))
    assert n_turned > 5


def test_pairs_are_used_while_they_did_better_by_three_nats() -> None:
    belief = small([2, 2]).belief
    belief.learn_temper()
    belief.learn_pairs()
    for alone, paired, used in ((0.0, 2.9, False), (0.0, 3.1, True), (-50.0, -48.0, False), (-50.0, -40.0, True)):
        belief.set_temper(np.array([alone] + [-99.0] * 4 + [paired] + [-99.0] * 4))
        assert belief.is_paired == used
    belief.set_temper(np.array([0.0] + [-99.0] * 4 + [-99.0] * 2 + [9.1] + [-99.0] * 2))  # half of overlap costs six
    assert belief.is_paired and belief.overlap == 0.5
    assert not belief.using_pairs(False).is_paired and belief.using_pairs(False).overlap == 0.0


@pytest.mark.parametrize("seed", range(10))
def test_what_comes_is_judged_before_it_is_learned_labels_and_answers_alike(seed: int) -> None:
    """The sums with pairs are log P(label | answers), and what pairs add to log P(answers | label)."""
    rng = np.random.default_rng(seed)
    case = draw_small(rng, max_features=6)
    counts = taught(rng, case)
    evidence, label = outcomes(rng, case, case.n_features), int(rng.integers(case.n_labels))
    paired, naive = by_hand(case, counts, evidence), by_hand(case, 0 * counts, evidence)
    p, prior = case.belief.mean()
    told = np.log(p[[case.rows(f).start + k for f, k in evidence.items()]]).sum(axis=0)
    with_pairs = np.log(paired) - np.log(naive)  # what pairs add, but for a constant
    if case.n_features > 1:
        case.belief.set_temper(np.zeros(10))
        bonds = bonds_by_hand(case, counts, evidence)
        np.testing.assert_allclose(bonds - bonds[0], with_pairs - with_pairs[0], atol=1e-9)
        case.belief.update(list(evidence.items()), label)
        tells = np.ptp(np.log(p[[case.rows(f).start + k for f, k in evidence.items()]]), axis=1)
        n_answers = max(tells.sum() ** 2 / (tells**2).sum(), 1.0)
        for level in range(5):
            log_p = np.log(prior) + n_answers ** (-level / 4) * (told + bonds)
            expected = log_p[label] - np.logaddexp.reduce(log_p) + bonds[label]
            assert case.belief.temper[5 + level] == pytest.approx(expected, rel=1e-4, abs=1e-4)
        assert case.belief.temper[0] == pytest.approx(np.log(naive[label]), rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("seed", range(10))
def test_counts_of_pairs_are_what_was_seen_and_add_up_and_fade(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one = draw_small(rng, max_features=5)
    other = Small(**{**vars(one), "belief": one.belief.copy()})
    counts, more = taught(rng, one), taught(rng, other)
    upper = np.triu_indices(len(counts), 1)
    np.testing.assert_array_equal(one.belief.pairs.reshape(-1, one.n_labels), counts[upper])
    again = one.belief.copy()
    again.discount(1.0)
    assert not again.pairs.any()
    again.set_pairs(one.belief.pairs)
    np.testing.assert_array_equal(again.pairs, one.belief.pairs)
    sums = one.belief.temper + other.belief.temper
    one.belief.merge(other.belief)
    np.testing.assert_array_equal(one.belief.temper, sums)
    np.testing.assert_array_equal(one.belief.pairs.reshape(-1, one.n_labels), (counts + more)[upper])
    one.belief.discount(0.25)
    np.testing.assert_array_equal(one.belief.pairs.reshape(-1, one.n_labels), 0.75 * (counts + more)[upper])


@pytest.mark.parametrize("seed", range(10))
def test_answers_are_the_closed_form_after_merging_forgetting_and_loading(seed: int) -> None:
    """Sums over pairs follow the counts, to the last bit, and totals below one are totals too."""
    rng = np.random.default_rng(seed)
    one = draw_small(rng, max_features=5)
    other = Small(**{**vars(one), "belief": one.belief.copy()})
    counts = taught(rng, one) + taught(rng, other)
    one.belief.merge(other.belief)
    for gamma in (0.3, 0.9, 0.9):
        one.belief.discount(gamma)
        counts = (1 - gamma) * counts
        one.belief.set_temper(PAIRED)
        evidence = outcomes(rng, one, one.n_features)
        row = np.full((1, one.n_features), -1, dtype=np.int16)
        row[0, list(evidence)] = list(evidence.values())
        table = (one.problem, row, np.zeros((1, 0)), [-1] * one.n_features)
        found = one.belief.posteriors(*table)[0]
        np.testing.assert_allclose(found, by_hand(one, counts, evidence), rtol=1e-9)
        loaded = one.belief.copy()
        loaded.set_pairs(one.belief.pairs)
        np.testing.assert_array_equal(loaded.posteriors(*table)[0], found)
        one.belief.update(list(evidence.items()), 0)  # sums of what was added one by one, and of all at once
        rows = [one.rows(f).start + k for f, k in evidence.items()]
        for a in rows:
            for b in rows:
                counts[a, b, 0] += a != b
        one.belief.set_temper(PAIRED)
        loaded = one.belief.copy()
        loaded.set_pairs(one.belief.pairs)
        np.testing.assert_array_equal(loaded.posteriors(*table)[0], one.belief.posteriors(*table)[0])


def test_one_case_says_little_of_an_outcome_that_is_rare_wherever_else_it_was_asked() -> None:
    """A yes to the first came once where the second was known, with a no; asked alone it was always no."""
    said = []
    for n_alone in (0, 100, 100_000):
        case = small([2, 2], 2)
        case.belief.learn_temper()
        case.belief.learn_pairs()
        for i in range(40):
            case.belief.update([(0, int(i == 0)), (1, i // 2 % 2)], 1 - i % 2)
        counts = case.belief.counts
        counts[0] += n_alone
        case.belief.set_counts(counts, case.belief.label_counts)
        both_yes = (case.problem, np.ones((1, 2), np.int16), np.zeros((1, 0)), [-1, -1])
        odds = []
        for uses in (False, True):
            p = case.belief.using_pairs(uses).posteriors(*both_yes)[0]
            odds.append(p[1] / p[0])
        said.append(odds[1] / odds[0])
    assert min(said) > 0.3 and max(said) < 1.5


def test_a_draw_that_knows_an_outcome_never_comes_is_planned_with() -> None:
    """With next to no prior a draw has chances of exactly 0."""
    case = small([3, 3, 3], 2, prior=1e-14)
    case.belief.learn_temper()
    case.belief.learn_pairs()
    for i in range(6):
        case.belief.update([(0, i % 2), (1, i % 2)], i % 2)
    case.belief.set_temper(PAIRED)
    for seed in range(30):
        plan = case.plan(seed=seed, criterion="ig", stop=[("cost_benefit", 30.0, 0)], plan="both")
        plan.observe(0, 1)
        plan.next()
        assert np.isfinite(plan.gains()).all() and np.isfinite(plan.predict()[1]).all()


def test_a_table_counts_its_pairs_as_single_cases_do() -> None:
    rng = np.random.default_rng(1)
    one_by_one, in_bulk, weighted = (small([2, 3, 4], 3) for _ in range(3))
    table = rng.integers(-1, 2, (50, 3)).astype(np.int16)
    labels = rng.integers(-1, 3, 50).astype(np.int32)
    for case in (one_by_one, in_bulk, weighted):
        case.belief.learn_pairs()
    for row, label in zip(table.tolist(), labels.tolist(), strict=True):
        if label >= 0:
            one_by_one.belief.update([(f, k) for f, k in enumerate(row) if k >= 0], label)
    in_bulk.belief.update_many(in_bulk.problem, table, labels)
    weighted.belief.add_pairs(weighted.problem, table, labels, np.zeros((50, 0)), np.ones(50))
    np.testing.assert_array_equal(one_by_one.belief.pairs, in_bulk.belief.pairs)
    np.testing.assert_array_equal(one_by_one.belief.pairs, weighted.belief.pairs)


def test_too_many_outcomes_are_not_counted_in_pairs() -> None:
    few, many = small([2] * 256), small([2] * 257)  # 512 rows squared times two labels are 2**19
    for case in (few, many):
        case.belief.learn_temper()
        case.belief.learn_pairs()
        case.belief.update([(0, 1), (1, 1)], 0)
        assert not case.belief.is_paired
    assert few.belief.n_pairs == 512 * 511 // 2 * 2 and few.belief.pairs.sum() == 1
    assert many.belief.n_pairs == 0 and many.belief.temper.shape == (5,)


@pytest.mark.parametrize("bad", [np.zeros(3), np.full(12, -1.0), np.full(12, np.nan), np.full(12, np.inf)])
def test_pairs_that_do_not_fit_are_refused(bad: np.ndarray) -> None:
    belief = small([2, 2]).belief
    belief.learn_pairs()
    with pytest.raises(ValueError, match="pairs do not fit"):
        belief.set_pairs(bad)
    assert not belief.pairs.any()


def test_beliefs_that_count_pairs_merge_with_such_only() -> None:
    one, other = small([2, 2]).belief, small([2, 2]).belief
    one.learn_pairs()
    with pytest.raises(ValueError, match="same prior"):
        one.merge(other)


def numbers(*tables: tuple[np.ndarray, np.ndarray]) -> core.Belief:
    """A belief that was told two numbers a case, of four bins each, table after table."""
    problem = core.Problem([4, 4], 2, [1.0] * 2, [1.0] * 2, [-1, -1], 1.0 - np.eye(2), continuous=[1, 1])
    belief = core.Belief(problem, np.ones((8, 2)), np.ones(2), True)
    belief.learn_temper()
    belief.learn_pairs()
    for X, labels in tables:
        outcomes = np.zeros(X.shape, dtype=np.int16)
        belief.update_many(problem, outcomes, labels.astype(np.int32), np.ascontiguousarray(X))
    return belief


def square(belief: core.Belief) -> np.ndarray:
    """N(bin of the first, bin of the second, label) of `numbers`."""
    found = np.zeros((8, 8, 2))
    found[np.triu_indices(8, 1)] = belief.pairs.reshape(-1, 2)
    return found[:4, 4:]


def counted(belief: core.Belief, X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The same, counted from all values between the cut points of today."""
    found = np.zeros((4, 4, 2))
    bins = [np.searchsorted(cuts, values) for cuts, values in zip(belief.cuts, X.T, strict=True)]
    np.add.at(found, (*bins, labels), 1)
    return found


@pytest.mark.parametrize("slope", [1.0, -1.0])
def test_pairs_move_with_the_cut_points(slope: float) -> None:
    rng = np.random.default_rng(3)
    x, labels = rng.normal(size=600), rng.integers(2, size=600)
    X = np.column_stack([x, slope * x])
    at_once, in_parts = (
        numbers((X, labels)),
        numbers(*((X[i : i + 100], labels[i : i + 100]) for i in range(0, 600, 100))),
    )
    assert at_once.cuts == in_parts.cuts
    exact, moved = counted(at_once, X, labels), square(in_parts)
    np.testing.assert_array_equal(square(at_once), exact)
    np.testing.assert_allclose(moved.sum(axis=(0, 1)), np.bincount(labels))
    independent = exact.sum(axis=0) * exact.sum(axis=1)[:, None] / exact.sum(axis=(0, 1))
    assert np.abs(moved - exact).sum() < 0.6 * np.abs(independent - exact).sum()


def test_merged_numbers_keep_their_pairs() -> None:
    rng = np.random.default_rng(4)
    x, labels = rng.normal(size=(2, 300)) + [[0], [1]], rng.integers(2, size=(2, 300))
    one, other = (numbers((np.column_stack([v, v]), y)) for v, y in zip(x, labels, strict=True))
    both, turned = one.copy(), other.copy()
    both.merge(other)
    turned.merge(one)
    assert one.cuts != other.cuts
    np.testing.assert_allclose(both.pairs, turned.pairs, atol=1e-9)
    exact = counted(both, np.column_stack([x.ravel(), x.ravel()]), labels.ravel())
    independent = exact.sum(axis=0) * exact.sum(axis=1)[:, None] / exact.sum(axis=(0, 1))
    np.testing.assert_allclose(square(both).sum(axis=(0, 1)), np.bincount(labels.ravel()))
    assert np.abs(square(both) - exact).sum() < 0.8 * np.abs(independent - exact).sum()
