"""Stream learners that are given only what they read: the LED display, each look paid for.

Run as `python experiments/only_what_was_read.py`. Every learner predicts from a row that fetches a value when it is
read, and then learns from the same row, closed: what the prediction did not read cannot be had. River's trees read a
feature once they have split on it, and split once they have read it, so they begin with nothing and stay there. Printed
are the accuracy over the second half of the stream and the features read per case.
"""

import sys
from collections.abc import Callable
from typing import Any

from river import tree

from ufodt.lab.baselines import nominal
from ufodt.lab.datasets import led
from ufodt.river import LazyRow, UFODTClassifier

N_CASES = 10_000
VARIANTS: dict[str, Callable[[], Any]] = {
    "river VFDT": tree.HoeffdingTreeClassifier,
    "river VFDT, majority leaves": lambda: tree.HoeffdingTreeClassifier(leaf_prediction="mc"),
    "river EFDT": tree.ExtremelyFastDecisionTreeClassifier,
    "river EFDT, majority leaves": lambda: tree.ExtremelyFastDecisionTreeClassifier(leaf_prediction="mc"),
    "river HAT": lambda: tree.HoeffdingAdaptiveTreeClassifier(seed=7),
    "ufodt": lambda: UFODTClassifier(seed=7),
}


def run(model: Any, n_cases: int, *, seed: int = 1) -> tuple[float, float]:
    """Return the accuracy over the second half of a stream, and the features read per case."""
    data = led(n_cases, seed=seed)
    encode = nominal(data)
    n_right = n_read = 0
    for number, (values, digit) in enumerate(zip(data.X, data.y.tolist(), strict=True)):
        row = LazyRow(encode(values))
        is_right = model.predict_one(row) == digit
        n_right += is_right and number >= n_cases // 2
        row.close()
        model.learn_one(row, digit)
        n_read += len(row)
    return n_right / (n_cases - n_cases // 2), n_read / n_cases


def main(thousands: int = N_CASES // 1000) -> None:
    """Print one line per learner."""
    print(f"{'':32}accuracy @ features read per case")
    for name, make in VARIANTS.items():
        accuracy, n_read = run(make(), 1000 * thousands)
        print(f"{name:32}{accuracy:8.3f} @ {n_read:.2f}", flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
