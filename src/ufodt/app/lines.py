"""`ufodt ask --json`: cases with a program, a line of JSON for each line."""

import json
from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any, TextIO

import ufodt
from ufodt.app.explain import as_json
from ufodt.app.reading import check_known, read_label, remembered
from ufodt.app.target import Target
from ufodt.errors import InvalidValue, UfodtError
from ufodt.evidence import Evidence
from ufodt.features import Value, some
from ufodt.lab.datasets.cells import each_once
from ufodt.session import Question, Session
from ufodt.words import from_text


def serve_lines(
    learner: ufodt.UFODT,
    lines: Iterable[str],
    out: TextIO,
    *,
    known: Mapping[str, Value],
    budget: float,
    target: Target | None,
) -> None:
    """Answer every line with a line, one session at a time; what is learned is saved to the `target` at once.

    In comes an object with one key: `tell` with an object of values, `skip` with a feature (and beside it `charged`,
    where it was paid for all the same), `undo`, `why`, `what_if` with an object of one value, `answer`, `open` for
    the next case, with `case`, `known` and `budget` inside if wanted, and, with a target, `label` with the truth, or
    `learn` with the `evidence` of an earlier case, as its answer had it, and its `label`; then this case goes on.
    Out comes the next question (`ask`) or the `answer`, with what was `learned` where a label came; or an `error`, and
    nothing has changed. What is `known` holds for the first case; the `budget` holds for each without one of its own.
    """
    learns = target is not None
    session = learner.open(known=known, budget=budget, explore=learns)
    _say(out, _state(learner, session))
    for line in lines:
        if not line.strip():
            continue
        try:
            verb, given, charged = _request(line)
            learned: dict[str, Any] = {}
            if verb == "open":
                session = _opened(learner, given, budget=budget, explore=learns)
            elif verb in ("label", "learn"):
                if target is None:
                    raise InvalidValue("A label came, but nothing is learned here: start `ufodt ask` with --save.")
                evidence, truth = (session.evidence, given) if verb == "label" else _earlier(given)
                label, taught = _sent_label(learner, truth), deepcopy(learner)
                taught.learn(evidence, label)
                target.save(taught)
                learner, learned = taught, {"learned": label}
                if verb == "label":
                    session = learner.open(budget=budget, explore=True)
            elif verb == "skip":
                session.skip(given, charged=charged)
            _say(out, learned | _respond(learner, session, verb, given))
        except (UfodtError, ValueError, TypeError, AttributeError, RecursionError) as error:
            _say(out, {"error": str(error)})


def _request(line: str) -> tuple[str, Any, bool]:
    """What a line asks for: a verb, what is given to it, and whether what could not be had was charged."""
    try:
        request = json.loads(line, object_pairs_hook=each_once)
    except InvalidValue:
        raise
    except ValueError:
        raise InvalidValue(
            f'{line.strip()!r} came, which is no JSON; expected a line such as {{"undo": true}}.'
        ) from None
    charged = request.pop("charged", False) if isinstance(request, dict) and "skip" in request else False
    if not isinstance(request, dict) or len(request) != 1:
        raise InvalidValue(f'{line.strip()!r} came; expected an object with one key, such as {{"undo": true}}.')
    if not isinstance(charged, bool):
        raise InvalidValue(f"charged is {charged!r}; expected true or false.")
    ((verb, given),) = request.items()
    return verb, given, charged


def _opened(learner: ufodt.UFODT, given: Any, *, budget: float, explore: bool) -> Session:
    """The next case, with what is said about it."""
    if given is not True and not isinstance(given, dict):
        raise InvalidValue(
            f"{given!r} came for a case to open; expected true, or an object with case, known or budget."
        )
    said: dict[str, Any] = {} if given is True else given
    unknown = [key for key in said if key not in ("case", "known", "budget")]
    if unknown:
        raise InvalidValue(f"{unknown[0]!r} came for a case to open; expected case, known or budget.")
    known = {name: _sent(learner, name, value) for name, value in _object(said.get("known", {})).items()}
    return learner.open(said.get("case"), known=known, budget=said.get("budget", budget), explore=explore)


def _earlier(given: Any) -> tuple[Evidence, Any]:
    """Evidence and label of a case whose label came late."""
    if not isinstance(given, dict) or given.keys() != {"evidence", "label"}:
        raise InvalidValue(f"{given!r} came to be learned; expected an object with evidence and label.")
    return given["evidence"], given["label"]


def _respond(learner: ufodt.UFODT, session: Session, verb: str, given: Any) -> dict[str, Any]:
    if verb == "tell":
        _tell(session, {name: _sent(learner, name, value) for name, value in _object(given).items()})
    elif verb in ("undo", "why", "answer") and given is not True:
        raise InvalidValue(f"{given!r} came for {verb}; expected true.")
    elif verb == "undo":
        session.undo()
    elif verb == "why":
        return {"why": as_json(session)}
    elif verb == "what_if":
        if len(_object(given)) != 1:
            raise InvalidValue(f"{given!r} came; expected an object with one feature and its value.")
        ((name, value),) = given.items()
        answer, question = session.what_if(name, _sent(learner, name, value))
        probabilities = [[label, p] for label, p in answer.probabilities.items()]
        asked = None if question is None else question.feature
        return {"what_if": {"answer": answer.label, "probabilities": probabilities, "next": asked}}
    elif verb == "answer":
        return _answer(session)
    elif verb not in ("open", "label", "learn", "skip"):
        raise InvalidValue(f"{verb!r} came; expected tell, skip, undo, why, what_if, answer, label, learn or open.")
    return _state(learner, session)


def _tell(session: Session, values: Mapping[str, Any]) -> None:
    """Tell all values, or none if one of them is refused."""
    before, n_told = session.evidence["values"], 0
    try:
        for name, value in values.items():
            session.tell(name, value)
            n_told += name not in before  # who says the same again has told nothing
    except Exception:
        for _ in range(n_told):
            session.undo()
        raise


def _object(given: Any) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise InvalidValue(f"{given!r} came; expected an object from features to values.")
    return given


def _sent(learner: ufodt.UFODT, name: str, value: Any) -> Any:
    """A value as the problem has it, where JSON writes it another way: 2 for "2", "yes" for 1."""
    feature = learner.problem.features[learner.problem.feature_index(name)]
    check_known(feature, str(value), missing=remembered(learner))
    if value is None or isinstance(feature, ufodt.Continuous) and not isinstance(value, str):
        return value
    if not isinstance(feature, ufodt.Continuous) and any(_is_exactly(value, known) for known in feature.values):
        return value
    return from_text(feature, str(value))


def _is_exactly(given: Any, known: Any) -> bool:
    return type(given) is type(known) and bool(given == known)


def _sent_label(learner: ufodt.UFODT, given: Any) -> Any:
    """A label as the problem has it, where JSON writes it another way."""
    if not isinstance(given, str | int | float):
        raise InvalidValue(f"{given!r} came for the label; expected one of {some(learner.problem.labels)}.")
    if any(_is_exactly(given, label) for label in learner.problem.labels):
        return given
    return read_label(learner.problem, str(given))


def _state(learner: ufodt.UFODT, session: Session) -> dict[str, Any]:
    question: Question | None = session.ask()
    if question is None:
        return _answer(session)
    feature = learner.problem.features[learner.problem.feature_index(question.feature)]
    values = "number" if isinstance(feature, ufodt.Continuous) else list(feature.values)
    most = {"most": question.most} if question.most > question.price else {}
    return {"ask": question.feature, "price": question.price, **most, "values": values}


def _answer(session: Session) -> dict[str, Any]:
    answer = session.predict()
    probabilities = [[label, p] for label, p in answer.probabilities.items()]
    return {
        "answer": answer.label,
        "probabilities": probabilities,
        "cost": answer.cost,
        "evidence": session.evidence,
    }


def _say(out: TextIO, said: dict[str, Any]) -> None:
    out.write(json.dumps(said) + "\n")  # in ASCII, which every pipe takes
    out.flush()
