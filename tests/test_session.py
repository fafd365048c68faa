"""One case: what can be said to a session and what it says back."""

import copy
import json
import math
import pickle
from typing import Any

import numpy as np
import pytest

from ufodt import UFODT, Binary, Categorical, Continuous, Criterion, Policy, Prior, Problem, Session, stop, thresholds
from ufodt.errors import AlreadyTold, InvalidValue, UfodtError, UnknownFeature
from ufodt.session import Answer

from .cases import LEARNERS, NAMES, PROBLEM, draw_stream, make, row_of, state, stream_of, walk


@pytest.fixture
def session() -> Session:
    learner = make("ours-ec2")
    learner.run(*draw_stream(1, 50))
    return learner.open("patient-17")


def everything(session: Session) -> tuple[Any, ...]:
    return session.ask(), session.predict(), session.evidence, session.cost, session.why()


@pytest.mark.parametrize(
    ("feature", "value", "error", "says"),
    [
        ("fewer", 1, UnknownFeature, ["'fewer'", "'fever'"]),
        (3, 1, UnknownFeature, ["3", "'fever'"]),
        ("fever", 2, InvalidValue, ["fever", "2", "0, 1"]),
        ("fever", "1", InvalidValue, ["fever", "'1'"]),
        ("fever", None, InvalidValue, ["fever", "None", "skip"]),
        ("fever", math.nan, InvalidValue, ["fever", "nan", "skip"]),
        ("fever", [1], InvalidValue, ["fever", "[1]"]),
        ("rhythm", "sinos", InvalidValue, ["rhythm", "'sinos'", "'sinus'"]),
        ("glucose", 4, InvalidValue, ["glucose", "4"]),
        ("glucose", -1, InvalidValue, ["glucose", "-1"]),
        ("glucose", 1.5, InvalidValue, ["glucose", "1.5"]),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(
    session: Session, feature: Any, value: Any, error: type[UfodtError], says: list[str]
) -> None:
    session.tell("cough", 1)
    before = everything(session)
    with pytest.raises(error) as caught:
        session.tell(feature, value)
    assert all(word in str(caught.value) for word in says), str(caught.value)
    assert everything(session) == before


def test_skipping_an_unknown_feature_is_refused(session: Session) -> None:
    before = everything(session)
    with pytest.raises(UnknownFeature, match="'fewer'"):
        session.skip("fewer")
    assert everything(session) == before


def test_evidence_goes_through_json_unchanged(session: Session) -> None:
    session.tell("rhythm", np.str_("flutter"))
    session.tell("glucose", np.int64(3))
    session.tell("fever", np.bool_(True))
    session.skip("scan")
    evidence = session.evidence
    assert json.loads(json.dumps(evidence)) == evidence
    assert evidence == {
        "case": "patient-17",
        "values": {"rhythm": "flutter", "glucose": 3, "fever": 1},
        "prices": {"rhythm": 3.0, "glucose": 2.5, "fever": 1.0},
        "skipped": ["scan"],
    }


def test_evidence_is_a_copy(session: Session) -> None:
    session.evidence["values"]["fever"] = 1
    assert session.evidence["values"] == {}


def test_a_group_has_its_later_price_once_one_of_it_was_paid(session: Session) -> None:
    prices = lambda: {reason.feature: reason.price for reason in session.why()}  # noqa: E731
    assert prices() == {"fever": 1.0, "cough": 0.5, "rhythm": 3.0, "glucose": 4.0, "scan": 6.0, "stay": 0.25}
    session.tell("glucose", 0)
    assert prices() == {"fever": 1.0, "cough": 0.5, "rhythm": 1.0, "scan": 6.0, "stay": 0.25}
    session.tell("rhythm", "other")
    assert session.cost == 5.0
    session.undo()
    session.undo()
    assert prices()["rhythm"] == 3.0 and session.cost == 0.0


def test_undo_names_what_it_took_back_and_leaves_known_values(session: Session) -> None:
    learner = make("ours-ec2")
    case = learner.open(known={"fever": 1})
    case.tell("cough", 0)
    case.skip("scan")
    assert [case.undo(), case.undo(), case.undo()] == ["scan", "cough", None]
    assert case.evidence["values"] == {"fever": 1}


def test_a_told_value_may_be_corrected_by_undo(session: Session) -> None:
    session.tell("fever", 0)
    session.undo()
    session.tell("fever", 1)
    assert session.evidence["values"] == {"fever": 1} and session.cost == 1.0


def test_probabilities_are_a_distribution_and_the_label_loses_least(session: Session) -> None:
    for feature in NAMES:
        answer = session.predict()
        p = np.array([answer.probabilities[label] for label in PROBLEM.labels])
        assert p.sum() == pytest.approx(1.0) and (p > 0).all()
        assert answer.label == PROBLEM.labels[int((p @ PROBLEM.losses).argmin())]
        session.tell(feature, row_of(draw_stream(2, 1)[0][0])[feature])


def test_the_outlook_of_a_question_is_what_its_answer_then_brings(session: Session) -> None:
    session.tell("cough", 1)
    for reason in session.why():
        assert sum(outlook.probability for outlook in reason.outlook) == pytest.approx(1.0)
        for outlook in reason.outlook:
            session.tell(reason.feature, outlook.value)
            after = session.predict()
            assert after.label == outlook.label
            assert after.probabilities[outlook.label] == pytest.approx(outlook.confidence)
            session.undo()


@pytest.mark.parametrize("cut", [thresholds.bins(4), thresholds.exhaustive(4), thresholds.exp3(4)])
@pytest.mark.parametrize("predict", ["mean", "theta"])
def test_an_outlook_is_by_what_the_answer_is_given_under(predict: Any, cut: thresholds.Thresholds) -> None:
    rng = np.random.default_rng(4)  # six features that all say the same, so that answers are trusted less
    y = rng.integers(0, 2, 400)
    X = np.repeat((y + rng.normal(0, 0.8, 400))[:, None], 6, axis=1)
    problem = Problem([Continuous(f"n{i}") for i in range(6)], labels=[0, 1])
    policy = Policy(plan="draw", predict=predict, stop=stop.confidence(0.999))
    learner = UFODT(problem, policy=policy, thresholds=cut, seed=2)
    learner.run(X, y)
    assert learner.belief.overlap > 0
    session = learner.open(known={"n0": 0.9, "n1": 0.9})
    for reason in session.why():
        for outlook in reason.outlook:
            value = {"≤": -9.0, ">": 9.0}.get(str(outlook.value)[0])
            if value is None:
                continue  # a bin in the middle
            after = session.what_if(reason.feature, value).answer
            assert after.probabilities[outlook.label] == pytest.approx(outlook.confidence, rel=1e-5)


def test_everything_may_be_known_from_the_start() -> None:
    session = make("ours-ec2").open(known=row_of(draw_stream(3, 1)[0][0]))
    assert session.ask() is None and session.why() == [] and session.cost == 0.0
    assert session.predict().cost == 0.0


def test_what_is_known_is_not_unavailable() -> None:
    learner = UFODT(PROBLEM)
    name = PROBLEM.features[0].name
    with pytest.raises(InvalidValue, match="as known and as unavailable"):
        learner.open(known={name: 1}, unavailable=[name])
    assert learner.open(unavailable=[name, name]).evidence["skipped"] == [name]


def test_everything_may_be_unavailable() -> None:
    session = make("ours-careful").open()
    for name in NAMES:
        session.skip(name)
    assert session.ask() is None and session.cost == 0.0
    assert session.evidence["skipped"] == NAMES


def test_the_ranking_agrees_with_the_question_when_features_are_free() -> None:
    free = Problem([Binary(name, price=0.0) for name in "abc"], labels=[0, 1])
    learner = UFODT(free, stop=stop.region(), n_hypotheses=64, seed=1)
    for _ in range(50):
        session = learner.open()
        question = session.ask()
        if question is not None:
            assert session.why()[0].feature == question.feature


@pytest.mark.parametrize("criterion", Criterion)
def test_the_ranking_shows_the_gains_that_the_criterion_asks_by(criterion: Criterion) -> None:
    learner, n_asked = UFODT(PROBLEM, criterion=criterion, stop=stop.confidence(0.99), seed=5), 0
    learner.run(*draw_stream(3, 200))
    for values in draw_stream(3, 20)[0]:
        session, row = learner.open(), row_of(values)
        while (question := session.ask()) is not None:
            first, *others = session.why()
            assert (first.feature, first.price) == (question.feature, question.price)
            if max(reason.gain for reason in (first, *others)) > 0:  # else the criterion sees no difference
                assert first.gain == question.gain
                assert all(reason.gain / reason.price <= first.gain / first.price for reason in others)
                n_asked += 1
            session.tell(question.feature, row[question.feature])
    assert n_asked > 20


def test_asking_changes_nothing_when_distinct_hypotheses_are_drawn_again() -> None:
    problem = Problem([Binary(name) for name in "abcd"], labels=[0, 1])
    policy = Policy(distinct=True, redraw_below=10, n_hypotheses=20, stop=stop.region())
    seen = []
    for looks in (0, 1):
        learner = UFODT(problem, policy=policy, seed=3)
        asked = []
        for _ in range(200):
            session = learner.open()
            while (question := session.ask()) is not None:
                asked.append(question)
                for _ in range(looks):
                    session.why()
                session.tell(question.feature, 1)
        seen.append(asked)
    assert seen[0] == seen[1]


def test_a_free_feature_is_asked_before_the_same_at_a_price() -> None:
    same = Problem([Binary("dear", price=1.0), Binary("free", price=0.0)], labels=[0, 1])
    learner = UFODT(same, criterion="ig", stop=stop.confidence(1.0), seed=1)
    learner.learn_many([[0, 0], [1, 1]] * 10, [0, 1] * 10)
    question = learner.open().ask()
    assert question is not None and (question.feature, question.price) == ("free", 0.0)


def test_a_session_says_where_it_stands(session: Session) -> None:
    session.tell("scan", 1)
    assert repr(session) == "<Session patient-17: 1 settled, cost 6>"


def test_the_walk_of_a_categorical_problem_with_numbers_and_strings_ends() -> None:
    problem = Problem([Categorical("mixed", [1, "1", 2.5])], labels=["a", "b"])
    session = UFODT(problem, criterion="ig", stop=stop.confidence(1.0)).open()
    session.tell("mixed", "1")
    assert session.evidence["values"] == {"mixed": "1"} and session.ask() is None


def test_walking_pays_for_each_feature_once() -> None:
    session = make("ours-careful").open()
    asked = [question.feature for question in walk(session, row_of(draw_stream(4, 1)[0][0]))]
    assert len(set(asked)) == len(asked)


# --- explanations ---------------------------------------------------------------------------------------


def log_odds(p: float) -> float:
    return math.log2(p / (1 - p))


@pytest.mark.parametrize("name", LEARNERS)
def test_bits_add_up_to_the_odds_of_every_label(name: str) -> None:
    learner = make(name)
    learner.run(*stream_of(name, 1, 80))
    X, _ = stream_of(name, 2, 10, missing=0.1)
    for i, values in enumerate(X):
        row = row_of(values)
        known = {"cough": row["cough"]} if i % 2 and row["cough"] is not None else {}
        session = learner.open(known=known)
        walk(session, row)
        answer = session.predict()
        supports = answer.why()
        assert [s.label for s in supports] == sorted(answer.probabilities, key=lambda y: -answer.probabilities[y])
        for support in supports:
            assert list(support.values) == list(session.evidence["values"])
            assert support.prior + sum(support.values.values()) == pytest.approx(support.total, abs=1e-9)
            assert support.total == pytest.approx(log_odds(answer.probabilities[support.label]), abs=1e-6)


def test_the_bits_of_a_value_are_the_logarithm_of_its_likelihood_ratio() -> None:
    problem = Problem([Binary("fever"), Binary("cough")], labels=["healthy", "ill"])
    learner = UFODT(problem, seed=1)
    learner.learn_many([[1, 0], [1, 1], [0, 1], [0, 0], [1, 1]], ["ill", "ill", "healthy", "healthy", "healthy"])
    p, label = learner.belief.mean()
    p = p.reshape(2, 2, 2)
    for order in (["fever", "cough"], ["cough", "fever"]):
        session = learner.open()
        for name in order:
            session.tell(name, 1)
        ill = next(s for s in session.predict().why() if s.label == "ill")
        assert ill.prior == pytest.approx(math.log2(label[1] / label[0]))
        assert ill.values["fever"] == pytest.approx(math.log2(p[0, 1, 1] / p[0, 1, 0]))
        assert ill.values["cough"] == pytest.approx(math.log2(p[1, 1, 1] / p[1, 1, 0]))


def test_an_answer_that_is_all_but_sure_still_has_finite_bits() -> None:
    problem = Problem([Binary(f"f{i}") for i in range(400)], labels=[0, 1, 2])
    learner = UFODT(problem, prior=Prior(count=1e-6))
    learner.learn_many(np.ones((50, 400), dtype=int), [0] * 50)
    learner.learn_many(np.zeros((50, 400), dtype=int), [1] * 50)
    session = learner.open(known={f"f{i}": 1 for i in range(400)})
    for support in session.predict().why():
        assert math.isfinite(support.total)
        assert support.prior + sum(support.values.values()) == pytest.approx(support.total)


def test_an_answer_can_be_kept_and_sent(session: Session) -> None:
    session.tell("fever", 1)
    session.skip("scan")
    answer = session.predict()
    session.tell("cough", 0)
    for copied in (pickle.loads(pickle.dumps(answer)), copy.deepcopy(answer)):
        assert copied == answer and copied.why() == answer.why()
    assert [step.feature for step in answer.steps] == ["fever"]


def test_an_answer_made_by_hand_has_only_a_prior() -> None:
    (one, other) = Answer("a", {"a": 0.8, "b": 0.2}, 0.0).why()
    assert (one.label, one.prior, one.values) == ("a", pytest.approx(2.0), {}) and other.total == pytest.approx(-2.0)


@pytest.mark.parametrize("name", LEARNERS)
def test_trying_a_value_tells_what_telling_it_would_and_changes_nothing(name: str) -> None:
    learner, other = make(name), make(name)
    for each in (learner, other):
        each.run(*stream_of(name, 1, 60))
    X, y = stream_of(name, 2, 12)
    for values, label in zip(X, y, strict=True):
        tried, told, row = learner.open(), other.open(), row_of(values)
        while (question := told.ask()) is not None:
            assert tried.ask() == question
            before = everything(tried)
            answer, following = tried.what_if(question.feature, row[question.feature])
            assert everything(tried) == before
            told.tell(question.feature, row[question.feature])
            assert (answer, following) == (told.predict(), told.ask())
            assert answer.why() == told.predict().why()
            tried.tell(question.feature, row[question.feature])
        assert tried.evidence == told.evidence
        learner.learn(tried.evidence, label)
        other.learn(told.evidence, label)
    assert state(learner) == state(other)


def test_what_was_told_cannot_be_tried_again(session: Session) -> None:
    session.tell("fever", 1)
    for value in (0, 1):
        before = everything(session)
        with pytest.raises(AlreadyTold, match="undo"):
            session.what_if("fever", value)
        assert everything(session) == before
    with pytest.raises(InvalidValue):
        session.what_if("cough", 7)
    assert everything(session) == before


def test_known_values_stay_when_others_are_tried() -> None:
    learner = make("ours-ig")
    session = learner.open(known={"fever": 1})
    session.what_if("cough", 1)
    assert session.evidence["values"] == {"fever": 1} and session.undo() is None


def test_a_sentence_says_why_a_feature_is_not_asked() -> None:
    problem = Problem(
        [
            Binary("must", mandatory=True),
            Binary("cheap", price=1.0),
            Binary("same", price=2.0),
            Binary("dear", price=90.0),
            Binary("later", needs=["cheap"]),
            Binary("beyond", price=500.0),
        ],
        labels=["x", "y"],
        loss=[[0, 60], [60, 0]],
    )
    learner = UFODT(problem, seed=1)
    X = np.array([[0] * 6, [1] * 6] * 50)
    learner.learn_many(X, ["x", "y"] * 50)
    session = learner.open(budget=200)
    assert session.why_not("must").startswith("must is the next question")
    assert session.why_not("cheap") == "cheap comes later: must is mandatory."
    assert session.why_not("later") == "later needs cheap to be known first."
    assert session.why_not("beyond") == "beyond costs 500, and 200 is left of the budget."
    session.skip("must")
    assert session.why_not("dear") == "dear is not worth 90 here, as far as was looked ahead."
    assert session.why_not("must") == "must was skipped before."
    assert session.why_not("same") == "same would pay too, but it is better to begin with cheap."
    session.tell("cheap", 1)
    assert session.why_not("cheap") == "cheap was told before as 1."
    known = learner.open(known={"cheap": 1}, unavailable=["dear"])
    assert known.why_not("cheap") == "cheap is known from the start as 1." and known.undo() is None
    with pytest.raises(AlreadyTold, match="'cheap' is known from the start as 1; open a new session that does not"):
        known.tell("cheap", 0)
    with pytest.raises(AlreadyTold, match="'dear' cannot be had; open a new session that does not say so"):
        known.what_if("dear", 1)
    with pytest.raises(UnknownFeature):
        session.why_not("chaep")


def test_a_session_is_neither_copied_nor_pickled() -> None:
    session = UFODT(Problem([Binary("a")], labels=[0, 1])).open()
    for take in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=r"keep `session.evidence`"):
            take(session)


@pytest.mark.parametrize("charged", ["no", "", None, 0.5])
def test_whether_a_skip_is_charged_is_true_or_false(charged: Any) -> None:
    session = UFODT(Problem([Binary("a", price=3)], labels=[0, 1])).open()
    with pytest.raises(InvalidValue, match="charged=.* came; expected True or False"):
        session.skip("a", charged=charged)
    assert session.evidence["skipped"] == []


@pytest.mark.parametrize("charged", [np.True_, 1])
def test_whether_a_skip_is_charged_may_come_as_numpy_has_it(charged: Any) -> None:
    session = UFODT(Problem([Binary("a", price=2.0), Binary("b")], labels=[0, 1])).open()
    session.skip("a", charged=charged)
    assert session.predict().cost == 2.0
