"""The learner on a stream of digits next to river's, then one of its sessions, question by question."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

import ufodt
from ufodt.lab import baselines, datasets
from ufodt.lab.datasets.dataset import Dataset, FloatArray, IntArray
from ufodt.lab.optimal import ALL_THERE_IS, led_world, optimum
from ufodt.problem import Label
from ufodt.session import Reason, Session

N_HOLDOUT = 5000
OURS = "ufodt (EC2)"
_RIVALS = {
    "river VFDT": baselines.Kind.VFDT,
    "river EFDT": baselines.Kind.EFDT,
    "river naive Bayes": baselines.Kind.BERNOULLI_NB,
}


@dataclass(frozen=True, slots=True)
class Stretch:
    """What a method answered on some cases, what it paid, and the CPU time it took."""

    predicted: IntArray
    n_asked: int
    cost: float
    cpu_seconds: float


@dataclass(slots=True)
class Racer:
    """A method on its way through the stream, with its score so far."""

    name: str
    learn: Callable[[FloatArray, IntArray], Stretch]
    answer: Callable[[FloatArray], IntArray]  # a hold-out, nothing learned
    n_at_once: int  # cases done in one go
    n_done: int = 0
    n_right: int = 0
    n_asked: int = 0
    cost: float = 0.0
    cpu_seconds: float = 0.0

    def advance(self, X: FloatArray, y: IntArray) -> None:
        """Take the next cases of the stream: answer each, then learn its label."""
        rows = slice(self.n_done, self.n_done + self.n_at_once)
        stretch = self.learn(X[rows], y[rows])
        self.n_done += len(stretch.predicted)
        self.n_right += int((stretch.predicted == y[rows]).sum())
        self.n_asked += stretch.n_asked
        self.cost += stretch.cost
        self.cpu_seconds += stretch.cpu_seconds

    @property
    def accuracy(self) -> float:
        return self.n_right / self.n_done

    @property
    def micros(self) -> float:
        return 1e6 * self.cpu_seconds / self.n_done


def show(console: Console, *, n_cases: int, seed: int) -> None:
    """Run the demonstration and print it."""
    data = datasets.led(n_cases + N_HOLDOUT, seed=seed)
    stream, fresh = (datasets.take(data, rows) for rows in np.split(np.arange(len(data.y)), [n_cases]))
    problem = datasets.to_problem(data)
    full_price = float(problem.prices.sum())
    learner = ufodt.UFODT(problem, criterion="ec2", seed=seed)
    racers = [_ours(learner)]
    if find_spec("river") is None:
        console.print("river is not installed, so ufodt runs alone. To see the others:")
        console.print('    pip install "ufodt[lab]"', markup=False)
    else:
        racers += [_rival(name, kind, stream, full_price) for name, kind in _RIVALS.items()]

    console.print("[bold]Digits on a broken display[/]: seven segments, each lies one time in ten.")
    console.print(
        f"{n_cases:,} cases come one by one. Looking at a segment costs 1. A method looks,\n"
        "answers, and is told the true digit. Whoever has used least CPU time moves next.\n"
    )
    _race(console, racers, stream)
    _print_scores(console, racers, fresh, full_price)
    _print_holdout(console, learner, fresh)
    _print_session(console, learner, dict(zip(fresh.feature_names, fresh.X[0], strict=True)), int(fresh.y[0]))


def _ours(learner: ufodt.UFODT) -> Racer:
    def learn(X: FloatArray, y: IntArray) -> Stretch:
        start = time.process_time()
        record = learner.run(X, y)
        seconds = time.process_time() - start
        return Stretch(record.predicted, int(record.n_asked.sum()), float(record.cost.sum()), seconds)

    return Racer(OURS, learn, lambda X: learner.evaluate(X).record.predicted, n_at_once=1000)


def _rival(name: str, kind: baselines.Kind, stream: Dataset, full_price: float) -> Racer:
    baseline = baselines.build(kind, stream)

    def learn(X: FloatArray, y: IntArray) -> Stretch:
        predicted, seconds = baselines.prequential(baseline, X, y)
        return Stretch(predicted, baseline.n_read * len(X), full_price * len(X), seconds)

    return Racer(name, learn, lambda X: baselines.holdout(baseline, X), n_at_once=100)


def _race(console: Console, racers: Sequence[Racer], stream: Dataset) -> None:
    """Take all racers through the stream, bars drawn between two stretches and never while a clock runs."""
    bars = Progress(
        TextColumn("{task.description:<17}"),
        BarColumn(bar_width=18),
        TextColumn("{task.completed:>6,.0f} cases"),
        TextColumn("{task.fields[score]}", style="dim"),
        console=console,
        auto_refresh=False,
        transient=True,
        disable=not console.is_terminal,
    )
    n_cases = len(stream.y)
    with bars:
        tasks = {racer.name: bars.add_task(racer.name, total=n_cases, score="") for racer in racers}
        for racer in _moves(racers, n_cases):
            racer.advance(stream.X, stream.y)
            score = f"accuracy {racer.accuracy:.3f}, {racer.n_asked / racer.n_done:.2f} asked"
            bars.update(tasks[racer.name], completed=racer.n_done, score=score, refresh=True)
            if racer.n_done == n_cases and not console.is_terminal:
                console.print(f"{racer.name}: {n_cases:,} cases in {racer.cpu_seconds:.2f} s, {score} a case")


def _moves(racers: Sequence[Racer], n_cases: int) -> Iterator[Racer]:
    """Give the racer to move next, the one that has used least CPU time, until all are through."""
    while under_way := [racer for racer in racers if racer.n_done < n_cases]:
        yield min(under_way, key=lambda racer: racer.cpu_seconds)


def _print_scores(console: Console, racers: Sequence[Racer], fresh: Dataset, full_price: float) -> None:
    table = Table(box=SIMPLE, pad_edge=False)
    table.add_column("method", no_wrap=True)
    for heading in (
        "accuracy\nonline",
        "accuracy\nhold-out",
        "questions\nper case",
        "share of\nfull price",
        "µs per case\n(CPU)",
    ):
        table.add_column(heading, justify="right")
    for racer in racers:
        table.add_row(
            racer.name,
            f"{racer.accuracy:.3f}",
            f"{(racer.answer(fresh.X) == fresh.y).mean():.3f}",
            f"{racer.n_asked / racer.n_done:.2f}",
            f"{racer.cost / racer.n_done / full_price:.0%}",
            f"{racer.micros:,.1f}",
            style="bold green" if racer.name == OURS else None,
        )
    console.print(table)


def _print_holdout(console: Console, learner: ufodt.UFODT, fresh: Dataset) -> None:
    start = time.process_time()
    report = learner.evaluate(fresh.X, fresh.y)
    rate = len(fresh.y) / (time.process_time() - start)
    best = optimum(led_world(), worth=ALL_THERE_IS).accuracy
    console.print(
        f"Hold-out: {len(fresh.y):,} fresh cases, nothing learned. The tree of ufodt's belief asks\n"
        f"{report.n_asked:.2f} questions a case and answers {float(f'{rate:.2g}'):,.0f} cases a second.\n"
        f"With all seven segments and their true habits known, {best:.3f} is the most anyone\n"
        f"can expect; chance moves a hold-out by {math.sqrt(best * (1 - best) / len(fresh.y)):.3f}.\n"
    )


def _print_session(console: Console, learner: ufodt.UFODT, display: Mapping[str, float], truth: int) -> None:
    """Show one fresh case: why each question, its answer, and how the label probabilities move."""
    session = learner.open("one more case")
    labels = session.predict().probabilities
    console.print("[bold]One more case, question by question[/]: how likely is each digit, in percent?\n")
    console.print(Text(" " * 30 + "".join(f"{label!s:>5}" for label in labels), style="bold"))
    console.print(_likelihood("before any question", session))
    n_asked = 0
    while (question := session.ask()) is not None:
        n_asked += 1
        console.print(f"\n{n_asked}. [bold]{question.feature}?[/] [dim]{_because(session.why())}[/]")
        lit = int(display[question.feature])
        session.tell(question.feature, lit)
        console.print(_likelihood(f"{'lit' if lit else 'dark'}, for a price of {question.price:g}", session))
    answer = session.predict()
    verdict = "[green]right[/]" if answer.label == truth else "[red]wrong[/]"
    why = "Nothing left is worth its price" if n_asked < len(display) else "Nothing is left to ask"
    console.print(
        f"\n{why}. The answer is [bold]{answer.label}[/], "
        f"{answer.probabilities[answer.label]:.0%} sure, for {answer.cost:g} of {len(display)}.\n"
        f"The truth is [bold]{truth}[/]: {verdict}; and the learner learns from it."
    )
    learner.learn(session.evidence, label=truth)


def _because(reasons: Sequence[Reason]) -> str:
    """Say why the first of the ranked features is the one to ask, and where its values would lead."""
    first, *others = reasons
    dark, lit = (outlook.label for outlook in first.outlook)
    lead = "It is the last one left."
    if others:
        share = f"{others[0].rate / first.rate:.0%}"
        lead = f"Most gain for its price; next best is {others[0].feature} with {share} of it."
    return f"{lead}\n   Dark would point to {dark}, lit to {lit}."


def _likelihood(what: str, session: Session) -> Text:
    """One line: the probability of each label in percent, the likeliest standing out."""
    probabilities = session.predict().probabilities
    line = Text(f"   {what:<27}")
    for label, probability in probabilities.items():
        line.append(f"{100 * probability:>5.0f}", style=_style(label, probabilities))
    return line


def _style(label: Label, probabilities: Mapping[Label, float]) -> str:
    if probabilities[label] == max(probabilities.values()):
        return "bold green"
    return "dim" if probabilities[label] < 0.05 else ""
