"""What is asked to learn where nothing seems to pay, as where labels are rare."""

from typing import Any

import numpy as np
import pytest

from ufodt import UFODT, Binary, Continuous, Policy, Problem, Session, drift, stop, thresholds

from .cases import learned_of

RARE = 0.05
SICK = Problem([Continuous("told"), Continuous("noise")], labels=["no", "yes"])
NOTHING = Policy(spend_to_learn=0.0)


def rare(n: int, *, seed: int = 1) -> tuple[np.ndarray, list[str]]:
    """Rows of SICK: one in twenty is a yes, and `told` is higher then."""
    rng = np.random.default_rng(seed)
    ill = rng.random(n) < RARE
    return np.column_stack([rng.normal(5.0 * ill), rng.normal(size=n)]), ["yes" if label else "no" for label in ill]


def unsure(price: float = 1.0, n: int = 2000, **settings: Any) -> UFODT:
    """A learner of two coins and a rare yes, under which it has seen neither: no draw has a side change the answer."""
    problem = Problem([Binary("told", price=price), Binary("noise", price=price)], labels=["no", "yes"])
    learner = UFODT(problem, **{"seed": 1, "policy": Policy(), **settings})
    for i in range(n):
        if i % 20 == 0:
            learner.learn({"values": {}}, "yes")
        else:
            learner.learn({"values": {"told": i % 2, "noise": i // 2 % 2}}, "no")
    return learner


def asks_to_learn(learner: UFODT, n: int = 400, **terms: Any) -> list[Session]:
    """The sessions, of so many where no question pays, that ask one all the same."""
    sessions = [learner.open(**terms) for _ in range(n)]
    return [session for session in sessions if session.ask() is not None]


def test_where_labels_are_rare_what_tells_them_is_found_all_the_same() -> None:
    (X, y), (held, truth) = rare(4000), rare(2000, seed=2)
    reports = []
    for policy in (Policy(), NOTHING):
        learner = UFODT(SICK, policy=policy, seed=1)
        learner.run(X, y)
        reports.append(learner.evaluate(held, truth))
    default, never = reports
    assert never.n_asked == 0.0 and never.accuracy < 0.96  # no draw found that it would pay
    assert default.accuracy > 0.98 and 0.9 < default.n_asked < 1.5


def test_a_sixteenth_of_the_loss_expected_is_spent_on_the_average() -> None:
    """A mistake is worth 100 questions here, so 5 are expected to be lost, and 0.3125 spent."""
    share = len(asks_to_learn(unsure(), 2000)) / 2000
    assert abs(share - 0.3125) < 0.04


def test_what_a_case_may_spend_is_a_setting() -> None:
    doubled = len(asks_to_learn(unsure(policy=Policy(spend_to_learn=1 / 8)), 2000)) / 2000
    assert abs(doubled - 0.625) < 0.04
    assert not asks_to_learn(unsure(policy=NOTHING))


def test_one_question_is_asked_to_learn_the_one_that_may_tell_most() -> None:
    problem = Problem([Continuous("told", price=2.0), Continuous("noise")], labels=["no", "yes"])
    learner = UFODT(problem, seed=1)
    X, y = rare(1000)
    learner.learn_many(np.where(np.arange(2) == 1, X, np.nan), y)  # of `noise` it is known that it tells nothing
    sessions = asks_to_learn(learner)
    assert sessions and {str(session.ask().feature) for session in sessions} == {"told"}  # type: ignore[union-attr]
    for session in sessions:
        session.tell("told", 0.0)
        assert session.ask() is None


def test_what_may_tell_most_comes_first_wherever_it_stands() -> None:
    """Both were seen twenty times under a rare yes; one had the same side each time, which does not pay yet."""
    problem = Problem([Binary("noise"), Binary("told")], labels=["no", "yes"])
    learner = UFODT(problem, policy=Policy(stop=stop.cost_benefit(30.0)), seed=1)
    for i in range(400):
        ill = i % 20 == 0
        learner.learn({"values": {"noise": i // 20 % 2, "told": 1 if ill else i % 2}}, "yes" if ill else "no")
    sessions = asks_to_learn(learner)
    assert sessions and {str(session.ask().feature) for session in sessions} == {"told"}  # type: ignore[union-attr]


def test_what_can_never_pay_is_not_asked_to_learn() -> None:
    """Five are at stake: not for a price of six."""
    for price, some in ((4.0, True), (6.0, False)):
        assert bool(asks_to_learn(unsure(price, policy=Policy(stop=stop.cost_benefit(100.0))))) == some


def test_what_was_seen_often_under_every_label_is_not_asked_to_learn() -> None:
    found = []
    for n in (40, 600, 640, 4000):
        learner = UFODT(Problem([Binary("coin")], labels=["no", "yes"]), seed=1)
        rows = np.arange(n)
        learner.learn_many((rows % 2)[:, None], np.where(rows % 40 < 2, "yes", "no"))  # a yes in twenty
        found.append(bool(asks_to_learn(learner)))
    assert found == [True, True, False, False]


def test_a_label_that_never_came_leaves_nothing_little_known() -> None:
    learner = UFODT(Problem([Binary("coin")], labels=["no", "yes", "never"]), seed=1)
    rows = np.arange(4000)
    learner.learn_many((rows % 2)[:, None], np.where(rows % 40 < 2, "yes", "no"))
    assert not asks_to_learn(learner)


def test_a_stop_by_confidence_is_kept_to() -> None:
    sure = Policy(stop=stop.confidence(0.9) | stop.cost_benefit())
    assert not asks_to_learn(unsure(policy=sure))
    bounded = Policy(stop=stop.budget(1.0) | stop.cost_benefit())
    assert asks_to_learn(unsure(policy=bounded))


def test_of_two_worths_the_lower_one_says_what_is_at_stake() -> None:
    for low, high in ((10.0, 100.0), (100.0, 10.0)):
        both = Policy(stop=stop.cost_benefit(low) | stop.cost_benefit(high))
        assert not asks_to_learn(unsure(policy=both))


def test_nothing_is_asked_to_learn_where_nothing_is_explored() -> None:
    learner = unsure()
    assert not asks_to_learn(learner, explore=False)
    assert learner.tree().n_leaves == 1


def test_thresholds_explore_by_draws_alone() -> None:
    X, y = rare(600)
    learned = []
    for policy in (Policy(), NOTHING):
        learner = UFODT(SICK, thresholds=thresholds.exhaustive(), policy=policy, seed=1)
        record = learner.run(X, y)
        learned.append((record.n_asked.tolist(), record.predicted.tolist(), learner.belief.counts.tolist()))
    assert learned[0] == learned[1]


def test_a_question_to_learn_comes_again_after_undo_and_makes_way_once_it_was_skipped() -> None:
    session = asks_to_learn(unsure())[0]
    question = session.ask()
    assert question is not None
    session.skip(question.feature)
    other = session.ask()
    assert other is not None and other.feature != question.feature
    session.undo()
    assert session.ask() == question
    session.skip(question.feature, charged=True)
    assert session.ask() is None


def test_what_is_known_or_cannot_be_had_leaves_the_other_to_learn() -> None:
    for terms in ({"known": {"noise": 0}}, {"known": {"told": 0}}, {"unavailable": ["noise"]}):
        assert abs(len(asks_to_learn(unsure(), 2000, **terms)) / 2000 - 0.3125) < 0.04


@pytest.mark.parametrize("price", [0.0, 0.001, 1.0])
@pytest.mark.parametrize("labels", [["no", "yes"], ["no", "yes", "never"]])
def test_neither_what_is_cheap_nor_a_label_that_never_comes_stands_in_the_way(price: float, labels: list[str]) -> None:
    X, y = rare(6000)
    problem = Problem([Continuous("told"), Continuous("noise", price=price)], labels=labels)
    record = UFODT(problem, policy=Policy(stop=stop.cost_benefit(100.0)), seed=1).run(X, y)
    assert (record.predicted[-2000:] == np.array(y[-2000:])).mean() > 0.98


@pytest.mark.parametrize("seed", range(1, 7))
def test_a_number_is_little_known_until_it_is_cut_by_what_it_tells(seed: int) -> None:
    """Of a label as rare as this, 32 values have come before that."""
    rng = np.random.default_rng(seed)
    ill = rng.random(4000) < 0.06
    X = np.column_stack([rng.normal(5.0 * ill), rng.normal(size=4000)])
    record = UFODT(SICK, seed=seed).run(X, np.where(ill, "yes", "no"))
    assert (record.predicted[-1000:] == np.where(ill, "yes", "no")[-1000:]).mean() > 0.98


def test_a_session_says_that_it_asks_to_learn() -> None:
    session = asks_to_learn(unsure())[0]
    question = session.ask()
    assert question is not None and session.why()[0].feature == question.feature and not session.why()[0].pays
    assert "to learn" in session.why_not(question.feature)
    other = {"told": "noise", "noise": "told"}[question.feature]
    assert session.why_not(other) == f"{other} is not worth 1 here, as far as was looked ahead."
    session.tell(question.feature, 0)
    assert not session._plan.asks_to_learn
    surely = unsure(policy=Policy(stop=stop.confidence(0.999) & stop.cost_benefit(1.0))).open()
    asked = surely.ask()  # which is for the sake of confidence, though it does not pay
    assert asked is not None and "to learn" not in surely.why_not(asked.feature)


def test_what_is_known_for_nothing_leaves_the_question_unless_it_leaves_no_use_for_it() -> None:
    problem = Problem([Binary("free", price=0.0), Binary("sign"), Binary("told")], labels=["no", "yes"])
    learner = UFODT(problem, seed=1)
    rng = np.random.default_rng(1)
    y = rng.random(1500) < RARE
    sign = np.where(rng.random(1500) < 0.3, True, y)  # a no here leaves nothing at stake
    learner.learn_many(np.column_stack([rng.random(1500) < 0.5, sign, np.full(1500, np.nan)]), np.where(y, "yes", "no"))
    kept = asks_to_learn(learner, known={"free": 1})
    assert kept and all(session.ask().feature == "told" for session in kept)  # type: ignore[union-attr]
    assert not asks_to_learn(learner, known={"free": 1, "sign": 0})


def test_where_a_case_has_several_draws_it_begins_with_the_first_and_spends_nothing_besides() -> None:
    """So it is after an alarm; here what is at stake then is about what a question costs."""
    problem = Problem([Binary("told", price=5.0), Binary("noise", price=5.0)], labels=["no", "yes"])
    begun, asked = [], []
    for share in (1.0, 0.0):
        policy = Policy(stop=stop.cost_benefit(100.0), spend_to_learn=share)
        learner = UFODT(problem, policy=policy, drift=drift.auto(), seed=1)
        n, n_since = 0, 0
        while n_since < 8:
            learner.learn({"values": {"told": n % 2, "noise": n // 2 % 2}}, "yes" if n < 300 else "no")
            n, n_since = n + 1, n_since + (learner._drift.n_alarms > 0)
        assert 300 < n < 330
        sessions = [learner.open(known={"noise": 0}) for _ in range(40)]
        begun.append([session._plan.theta()[0] for session in sessions])
        asked.append([session.ask() for session in sessions])
    np.testing.assert_array_equal(*begun)
    assert asked[0] == asked[1] and None in asked[0]


def test_a_stream_asks_to_learn_just_as_sessions_do() -> None:
    X, y = rare(600)
    stream, single = UFODT(SICK, seed=1), UFODT(SICK, seed=1)
    record = stream.run(X, y)
    asked = []
    for (told, noise), label in zip(X, y, strict=True):
        session = single.open()
        while (question := session.ask()) is not None:
            session.tell(question.feature, {"told": told, "noise": noise}[question.feature])
        asked.append(len(session.evidence["values"]))
        single.learn(session.evidence, label)
    assert asked == record.n_asked.tolist() and learned_of(stream) == learned_of(single)


def test_a_model_from_before_explores_as_it_did() -> None:
    learner = UFODT(SICK, policy=NOTHING, seed=1)
    X, y = rare(50)
    learner.run(X, y)
    described, arrays = learner.__getstate__()
    del described["policy"]["spend_to_learn"]
    old = UFODT.__new__(UFODT)
    old.__setstate__((described, arrays))
    assert old.policy == learner.policy and learned_of(old) == learned_of(learner)


@pytest.mark.parametrize("n_labels", [0, 2048, 8192, 200_000])
def test_once_much_is_known_ever_fewer_cases_are_planned_under_a_draw(n_labels: int) -> None:
    """All of them up to 2,048 labels, then a share that falls with the root; other plans and criteria always are."""
    counts, draws = np.full((4, 2), max(n_labels / 4, 1.0)), {}
    for settings in ({}, {"plan": "draw"}, {"plan": "mean"}, {"criterion": "ec2"}):
        learner = UFODT(Problem([Binary("a"), Binary("b")], labels=[0, 1]), policy=Policy(**settings), seed=3)
        learner._belief.set_counts(counts, np.full(2, n_labels / 2))
        mean = learner.belief.mean()[0]
        drawn = [not np.allclose(learner.open()._plan.theta()[0], mean, atol=1e-12) for _ in range(2000)]
        draws[str(settings)] = np.mean(drawn)
    ours, *always, never = (
        draws["{}"],
        draws["{'plan': 'draw'}"],
        draws["{'criterion': 'ec2'}"],
        draws["{'plan': 'mean'}"],
    )
    assert ours == pytest.approx(min(1.0, (2048 / max(n_labels, 1)) ** 0.5), abs=0.035)
    assert always == [1.0, 1.0] and never == 0.0


def test_who_plans_under_no_draw_may_still_spend_something_to_learn() -> None:
    """Nothing seems to pay; some cases are asked all the same, under a draw or not."""
    learner = UFODT(Problem([Binary("a"), Continuous("new")], labels=[0, 1]), seed=3)
    learner._belief.set_counts(np.ones_like(learner.belief.counts), np.array([190_000.0, 10_000.0]))
    mean, asked = learner.belief.mean()[0], {True: 0, False: 0}
    for _ in range(2000):
        session = learner.open()
        asked[np.allclose(session._plan.theta()[0], mean, atol=1e-12)] += session.ask() is not None
    assert asked[True] > 100 and asked[False] > 5


@pytest.mark.parametrize("how", ["stream", "sessions"])
def test_what_is_known_for_nothing_may_cost_anything(how: str) -> None:
    """Whether a case spends to learn hangs on what pays once its known values are told, not on what was free anyway."""
    rng = np.random.default_rng(3)
    y = (rng.random(1500) < 0.03).astype(int)
    X = np.where(rng.random((1500, 2)) < [0.85, 0.97], y[:, None], 1 - y[:, None])

    def asked(price: float) -> list[int]:
        problem = Problem([Binary("hint", price=price), Binary("test", price=5.0)], [0, 1], loss=[[0, 20], [400, 0]])
        learner = UFODT(problem, seed=3)
        if how == "stream":
            return learner.run(X, y, known=["hint"]).n_asked.tolist()
        counts = []
        for (hint, test), label in zip(X[:300].tolist(), y[:300].tolist(), strict=True):
            session = learner.open(known={"hint": hint})
            counts.append(0)
            while session.ask() is not None:
                session.tell("test", test)
                counts[-1] += 1
            learner.learn(session.evidence, label)
        return counts

    few, many = asked(0.01), asked(1e6)
    assert few == many and sum(few) > 0
