"""`ufodt run`: a learner goes through a table case by case, and is saved whatever happens."""

import json
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray
from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

import ufodt
from ufodt.amount import amount, share
from ufodt.app.reading import Stream
from ufodt.app.target import Target
from ufodt.lab.till import mean_surcharges, whole_price
from ufodt.stream import Record

_CHUNK, _CHUNK_ANSWERED = 200, 5_000  # cases between two looks at the keyboard: learned from, and only answered
_SAVE_EVERY = 30.0  # seconds


class Patient(Console):
    """A console that falls silent when nobody reads it any more: no reason not to learn, and to save."""

    def on_broken_pipe(self) -> None:
        self.quiet = True


@dataclass
class Tally:
    """What has happened so far."""

    n_cases: int = 0
    n_labelled: int = 0
    n_right: int = 0
    loss: float = 0.0
    cost: float = 0.0
    n_asked: int = 0
    asked: dict[str, int] = field(default_factory=dict)
    surcharges: Any = 0.0  # per feature: what its values would have added to its price
    right: list[NDArray[np.bool_]] = field(default_factory=list)  # of the labelled cases, part by part

    def add(self, learner: ufodt.UFODT, record: Record, X: Any, y: list[Any]) -> None:
        problem = learner.problem
        truth, answers = problem.label_indices(y, len(y)), problem.label_indices(record.predicted, len(y))
        labelled = truth >= 0
        self.right.append(truth[labelled] == answers[labelled])
        self.loss += float(problem.losses[truth[labelled], answers[labelled]].sum())
        self.n_cases += len(y)
        self.n_labelled += int(labelled.sum())
        self.n_right += int(self.right[-1].sum())
        self.cost += float(record.cost.sum())
        self.n_asked += int(record.n_asked.sum())
        self.surcharges = self.surcharges + len(y) * mean_surcharges(problem, X)
        for index, count in zip(*np.unique(record.asked, return_counts=True), strict=True):
            name = problem.features[index].name
            self.asked[name] = self.asked.get(name, 0) + int(count)

    def summary(self, problem: ufodt.Problem) -> dict[str, Any]:
        """What a program wants to know."""
        late = np.concatenate([np.empty(0, dtype=bool), *self.right])[-max(1, self.n_labelled // 4) :]
        n = max(1, self.n_cases)
        return {
            "cases": self.n_cases,
            "labelled": self.n_labelled,
            "accuracy": self.n_right / self.n_labelled if self.n_labelled else None,
            "accuracy_last_quarter": float(late.mean()) if len(late) else None,
            "loss_per_case": self.loss / self.n_labelled if self.n_labelled and problem.has_currency else None,
            "cost_per_case": self.cost / n,
            "questions_per_case": self.n_asked / n,
            "price_of_everything": whole_price(problem, np.broadcast_to(self.surcharges / n, problem.n_features)),
            "asked": {name: count / n for name, count in sorted(self.asked.items(), key=lambda item: -item[1])},
        }


def run(
    console: Console,
    learner: ufodt.UFODT,
    stream: Stream,
    *,
    target: Target | None,
    skip: int,
    records: TextIO | None,
    go_on: Callable[[str, int], str],
) -> tuple[Tally, bool]:
    """Take the learner through the cases from number `skip` on; return what happened, and whether all are done.

    Where no case has a label there is nothing to explore for: they are answered as by the tree of the model. The
    command that goes on with a saved model, after so many cases, is `go_on`'s to say.
    """
    tally, saved_at, n_cases, n_opened = Tally(), time.monotonic(), len(stream.y), learner.n_opened
    learns = any(label is not None for label in stream.y)
    chunk = _CHUNK if learns else _CHUNK_ANSWERED
    try:
        with _progress(console, n_cases, skip) as show, _gently() as interrupted:
            for start in range(skip, n_cases, chunk):
                rows = slice(start, min(start + chunk, n_cases))
                X, y = stream.X[rows], stream.y[rows]
                record = learner.run(X, y) if learns else learner.evaluate(X).record
                if records is not None:
                    _write(records, learner.problem, record, y, start)
                tally.add(learner, record, X, y)
                show(rows.stop, tally)
                if time.monotonic() - saved_at > _SAVE_EVERY:
                    _save(learner, target)
                    saved_at = time.monotonic()
                if interrupted():
                    break
    except BaseException:  # nobody reads the records any more, the disk is full, or Ctrl-C came twice
        _save(learner, target)
        if target is not None:
            with suppress(OSError):
                print(f"What was learned so far is in {target.path}.", file=sys.stderr)
                if learns:
                    n_done, n_written = skip + learner.n_opened - n_opened, skip + tally.n_cases
                    print(f"To go on: {go_on(target.path, n_done)}", file=sys.stderr)
                    if records is not None and n_written < n_done:
                        missed = f"cases {n_written:,} to {n_done - 1:,} (counted from 0)"
                        print(f"Not all records of {missed} were written; they have been learned.", file=sys.stderr)
        raise
    _save(learner, target)
    return tally, skip + tally.n_cases >= n_cases


def _save(learner: ufodt.UFODT, target: Target | None) -> None:
    """Save the learner if it is to be saved, beside the file where somebody else has written to it."""
    if target is None:
        return
    if target.taken:
        target.step_aside()
    target.save(learner)


def print_summary(console: Console, tally: Tally, problem: ufodt.Problem) -> None:
    """Print what the run came to, and what it asked for."""
    said = tally.summary(problem)
    table = Table(box=SIMPLE, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_row("cases", f"{said['cases']:,}")
    if said["accuracy"] is not None:
        table.add_row("answered right", f"{said['accuracy']:.1%}")
        table.add_row("… in the last quarter", f"{said['accuracy_last_quarter']:.1%}")
    if said["loss_per_case"] is not None:
        table.add_row("lost by mistakes, per case", amount(said["loss_per_case"]))
    table.add_row("paid for features, per case", amount(said["cost_per_case"]))
    table.add_row("… everything would cost", amount(said["price_of_everything"]))
    table.add_row("questions per case", f"{said['questions_per_case']:.2f} of {problem.n_features}")
    console.print(table)
    asked = Table(box=SIMPLE, pad_edge=False)
    asked.add_column("asked most")
    asked.add_column("price", justify="right")
    asked.add_column("in cases", justify="right")
    for name, part in list(said["asked"].items())[:10]:
        asked.add_row(escape(name), amount(float(problem.prices[problem.feature_index(name)])), share(part))
    if said["asked"]:
        console.print(asked)


def _write(records: TextIO, problem: ufodt.Problem, record: Record, y: list[Any], first: int) -> None:
    """One JSON object per case and line, all at once: what interrupts leaves no half of them."""
    ends, lines = record.n_asked.cumsum(), []
    for i, truth in enumerate(y):
        asked = record.asked[ends[i] - record.n_asked[i] : ends[i]]
        line = {
            "case": first + i,
            "asked": [problem.features[f].name for f in asked],
            "cost": float(record.cost[i]),
            "predicted": record.predicted[i].item() if hasattr(record.predicted[i], "item") else record.predicted[i],
            "probability": float(record.probability[i]),
            "label": truth,
        }
        lines.append(json.dumps(line, ensure_ascii=records is sys.stdout) + "\n")  # any pipe takes ASCII
    records.write("".join(lines))
    records.flush()


@contextmanager
def _progress(console: Console, n_cases: int, skip: int) -> Iterator[Callable[[int, Tally], None]]:
    bars = Progress(
        TextColumn("{task.completed:>7,.0f} of {task.total:,.0f} cases"),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[score]}", style="dim"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )

    def show(done: int, tally: Tally) -> None:
        right = f"{tally.n_right / tally.n_labelled:.1%} right, " if tally.n_labelled else ""
        bars.update(task, completed=done, score=f"{right}{amount(tally.cost / tally.n_cases)} paid a case")

    with bars:
        task = bars.add_task("", total=n_cases, completed=skip, score="")
        yield show


@contextmanager
def _gently() -> Iterator[Callable[[], bool]]:
    """Note Ctrl-C, a request to end and a terminal that closes, so that the learner stops between two cases.

    A second one is obeyed at once. Who is told to outlive the terminal (`nohup`) does.
    """
    came: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        if came:
            raise KeyboardInterrupt
        came.append(number)

    numbers = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    try:
        before = {number: signal.signal(number, note) for number in numbers}
    except ValueError:  # not in the main thread, where there is nobody to interrupt
        before = {}
    try:
        yield lambda: bool(came)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def out_of(records: str | None, *, append: bool) -> Iterator[TextIO | None]:
    """Give where the records go: nowhere, to standard output (`-`), or to a file, after what is there if wanted."""
    if records is None or records == "-":
        yield None if records is None else sys.stdout
    else:
        with open(records, "a" if append else "w", encoding="utf-8") as file:
            yield file
