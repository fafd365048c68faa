"""`ufodt ask`: cases with a person, question by question in the terminal."""

import math
from collections.abc import Iterable, Mapping

import click
from rich.console import Console
from rich.markup import escape

import ufodt
from ufodt.amount import amount, as_number, share
from ufodt.app.explain import print_answer, print_reasons
from ufodt.app.reading import choices, read_label, read_value, remembered
from ufodt.app.target import Target
from ufodt.errors import InvalidValue, UfodtError
from ufodt.features import Feature, Value
from ufodt.problem import Label
from ufodt.session import Session
from ufodt.words import in_words, meant

_KEYS = (
    "Type the value, or [bold]?[/] why this, [bold]s[/] cannot be had ([bold]s![/] but was charged), [bold]u[/] undo, "
    "[bold]a[/] answer now, [bold]q[/] quit."
)
_COMMANDS = ("?", "s", "s!", "u", "a", "q")


def ask(
    console: Console,
    learner: ufodt.UFODT,
    *,
    known: Mapping[str, Value],
    budget: float,
    target: Target | None,
    asks: bool,
) -> None:
    """Go through cases with a person until there are no more; what is learned is saved to the `target` at once.

    Without a target nothing is learned; with `asks` the person is asked first whether to save there. What is `known`
    holds for the first case; the `budget` holds for each.
    """
    problem, learns, saves = learner.problem, target is not None, not asks
    console.print(
        f"{_experience(learner)}: {problem.n_features} features, "
        f"the answer is one of {escape(choices(problem.labels))}."
    )
    console.print(_KEYS, style="dim")
    while True:
        session, n_known, known = learner.open(known=known, budget=budget, explore=learns), len(known), {}
        goes_on, truth = _case(console, learner, session, n_known, learns=learns)
        if not goes_on:
            if learns:
                console.print("Nothing was learned from this case.", style="dim")
            return
        if target is not None and truth is not None:
            learner.learn(session.evidence, truth)
            console.print(f"Learned: it was [bold]{escape(str(truth))}[/].")
            if asks:
                asks, saves = False, click.confirm(f"Save what is learned to {target.path}?", default=True)
            if saves:
                _save(console, learner, target)
        try:
            if not click.confirm("Another case?", default=False):
                return
        except click.Abort:  # nothing more comes
            return


def _save(console: Console, learner: ufodt.UFODT, target: Target) -> None:
    """Save what is learned; where that fails, to another file if the person names one."""
    while True:
        try:
            target.save(learner)
            console.print(f"Saved to {escape(target.path)}.", style="dim")
            return
        except UfodtError as error:
            console.print(escape(str(error)), style="yellow")
        said = str(click.prompt("Save to which file? (Enter: not now)", default="", show_default=False)).strip()
        if not said:
            return
        if said != target.path:
            target.move(said)


def _experience(learner: ufodt.UFODT) -> str:
    """How many labelled cases stand behind the model, as far as it counts them and has not forgotten them."""
    if not learner.belief.learns_labels:  # as printed: of a label it is not learned how often it comes
        return f"A model that opened {learner.n_opened:,} cases"
    forgets = learner.drift.gamma > 0 or learner.drift.automatic
    n = round(float(learner.belief.label_counts.sum()))
    return f"A model {'that remembers' if forgets else 'of'} {n:,} labelled case{'' if n == 1 else 's'}"


def _case(
    console: Console, learner: ufodt.UFODT, session: Session, n_known: int, *, learns: bool
) -> tuple[bool, Label | None]:
    """Ask, answer and, where it is learned, be told the truth, if it is known; False when the person wants to go."""
    while _questions(console, learner, session, n_known):
        print_answer(console, session.predict(), learner.problem)
        if not learns:
            return True, None
        command, truth = _truth(learner)
        if command != "u":
            return command != "q", truth
        _take_back(console, session)
    return False, None


def _questions(console: Console, learner: ufodt.UFODT, session: Session, n_known: int) -> bool:
    """Ask until nothing is worth asking; False when the person wants to go."""
    while (question := session.ask()) is not None:
        evidence = session.evidence
        n_asked = len(evidence["values"]) + len(evidence["skipped"]) - n_known + 1
        feature = learner.problem.features[learner.problem.feature_index(question.feature)]
        hint = "a number"
        if not isinstance(feature, ufodt.Continuous):
            hint = choices([in_words(feature, value) for value in feature.values])
        costs = amount(question.price) + (f" to {amount(question.most)}" if question.most > question.price else "")
        console.print(f"\n[bold]{n_asked}. {escape(question.feature)}?[/]  costs {costs}  [dim]{escape(hint)}[/]")
        while True:
            said = str(click.prompt("  ", prompt_suffix="> ", default="", show_default=False)).strip()
            command = said if said in _COMMANDS and not _is_value(feature, said) else ""
            if command == "?":
                print_reasons(console, session, learner.problem)
            elif command == "q":
                return False
            elif command == "a":
                return True
            elif command == "u":
                if _take_back(console, session):
                    break
            elif command in ("s", "s!"):
                session.skip(question.feature, charged=command == "s!")
                charged = f" {amount(session.cost)} paid." if command == "s!" else ""
                console.print(f"   Then without it.{charged}", style="dim")
                break
            elif said:
                try:
                    session.tell(question.feature, _value(feature, said, remembered(learner)))
                except InvalidValue as error:
                    console.print(f"   {escape(str(error))}", style="yellow")
                    continue
                console.print(f"   {_now(session)}", style="dim")
                break
            else:
                console.print(_KEYS, style="dim")
    left = session.why()
    affordable = [reason for reason in left if reason.fits]
    if not left:
        console.print("\nNothing is left to ask.")
    elif not affordable:
        console.print("\nNothing more fits the budget.")
    else:
        within = "" if len(affordable) == len(left) else " within the budget"
        console.print(f"\nNothing more is worth its price{within}.")
    return True


def _take_back(console: Console, session: Session) -> bool:
    """Undo the last answer; whether there was one."""
    undone = session.undo()
    if undone is None:
        console.print("   There is nothing to take back.", style="yellow")
    else:
        console.print(f"   {escape(undone)} is open again; {amount(session.cost)} paid.", style="dim")
    return undone is not None


def _value(feature: Feature, said: str, missing: Iterable[str]) -> Value:
    """The value that was typed; the beginning of a name is enough where no other begins so, but not of a number."""
    names = [] if isinstance(feature, ufodt.Continuous | ufodt.Binary) else list(feature.values)
    names = [v for v in names if str(v).lower().startswith(said.lower()) and math.isnan(as_number(str(v)))]
    return read_value(feature, str(names[0]) if len(names) == 1 else said, missing=missing)


def _is_value(feature: Feature, said: str) -> bool:
    """Whether a feature has a value that is written like one of our commands; then it is meant."""
    if isinstance(feature, ufodt.Binary | ufodt.Continuous):
        return False
    return said.lower() in (str(value).lower() for value in feature.values)


def _now(session: Session) -> str:
    ranked = sorted(session.predict().probabilities.items(), key=lambda item: -item[1])[:3]
    return f"{', '.join(f'{escape(str(label))} {share(p)}' for label, p in ranked)} · {amount(session.cost)} paid"


def _truth(learner: ufodt.UFODT) -> tuple[str, Label | None]:
    """The true label, None when it is not known; or else a command, `u` or `q`, where no label is written so."""
    commands = {key: word for key, word in {"u": "undo", "q": "quit"}.items() if not meant(learner.problem.labels, key)}
    keys = "".join(f", {key}: {word}" for key, word in commands.items())
    while True:
        said = str(
            click.prompt(f"What was it really? (Enter: not known{keys})", default="", show_default=False)
        ).strip()
        if not said or said in commands:
            return said, None
        try:
            return "", read_label(learner.problem, said)
        except InvalidValue as error:
            click.echo(f"   {error}")
