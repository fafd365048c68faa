"""What a session thinks, in tables: what speaks for each label, and what is worth asking next."""

from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from ufodt.amount import amount, share
from ufodt.problem import Problem
from ufodt.session import Answer, Session
from ufodt.words import in_words

_LABELS = 4  # shown side by side


def as_json(session: Session) -> dict[str, Any]:
    """Return everything that `explain` prints, for programs."""
    answer, question = session.predict(), session.ask()
    return {
        "answer": answer.label,
        "probabilities": [[label, p] for label, p in answer.probabilities.items()],
        "cost": answer.cost,
        "bits": [
            {"label": s.label, "prior": s.prior, "values": s.values, "total": s.total} for s in answer.why()
        ],
        "next": None if question is None else question._asdict(),
        "features": [
            {
                "feature": reason.feature,
                "price": reason.price,
                "gain": reason.gain,
                "pays": reason.pays,
                "why": session.why_not(reason.feature),
                "outlook": [
                    {"value": o.value, "probability": o.probability, "answer": o.label, "confidence": o.confidence}
                    for o in reason.outlook
                ],
            }
            for reason in session.why()
        ],
    }  # fmt: skip


def print_answer(console: Console, answer: Answer, problem: Problem) -> None:
    """Print the answer and the evidence for and against the likeliest labels, in bits."""
    likely = sorted(answer.probabilities.items(), key=lambda item: -item[1])
    console.print(
        f"The answer is [bold green]{_safe(answer.label)}[/], {share(answer.probabilities[answer.label])} sure, "
        f"for {amount(answer.cost)}."
    )
    if likely[0][0] != answer.label:
        console.print(f"[dim]({_safe(likely[0][0])} is likelier, but the mistakes of that answer cost more.)[/]")
    supports = answer.why()
    shown = supports[: 1 if len(supports) == 2 else _LABELS]
    table = Table(box=SIMPLE, pad_edge=False, title="evidence in bits", title_justify="left", title_style="dim")
    table.add_column("")
    for support in shown:
        table.add_column(f"for {_safe(support.label)}", justify="right")
    table.add_row("before anything was told", *(_bits(support.prior) for support in shown))
    for step in answer.steps:
        bits = (_bits(support.values[step.feature]) for support in shown)
        told = in_words(problem.features[problem.feature_index(step.feature)], step.value)
        table.add_row(f"{_safe(step.feature)} is {_safe(told)}", *bits)
    table.add_section()
    table.add_row("together", *(_bits(support.total) for support in shown))
    table.add_row("probability", *(share(answer.probabilities[support.label]) for support in shown))
    console.print(table)


def print_reasons(console: Console, session: Session, problem: Problem, n_shown: int = 8) -> None:
    """Print what could be asked now, best first: gain, price, and why or why not; then where the answers would lead."""
    reasons = session.why()
    if not reasons:
        console.print("Nothing is left to ask.")
        return
    table = Table(box=SIMPLE, pad_edge=False)
    for heading in ("feature", "gain", "price"):
        table.add_column(heading, justify="left" if heading == "feature" else "right")
    table.add_column("why, or why not", style="dim")
    for reason in reasons[:n_shown]:
        why = session.why_not(reason.feature).removeprefix(f"{reason.feature} ")
        table.add_row(_safe(reason.feature), f"{reason.gain:.3g}", amount(reason.price), _safe(why))
    console.print(table)
    if len(reasons) > n_shown:
        console.print(f"[dim]… and {len(reasons) - n_shown} more, worth less.[/]")
    if session.ask() is not None:
        first = reasons[0]
        feature = problem.features[problem.feature_index(first.feature)]
        console.print(f"If [bold]{_safe(first.feature)}[/] were told:")
        for outlook in first.outlook:
            console.print(
                f"  {_safe(in_words(feature, outlook.value))} [dim]({share(outlook.probability)} likely)[/] → "
                f"{_safe(outlook.label)}, {share(outlook.confidence)} sure"
            )


def _bits(value: float) -> str:
    return f"{value:+.2f}"


def _safe(value: object) -> str:
    """Names and values as they are: what looks like markup is none."""
    from rich.markup import escape

    return escape(str(value))
