"""Draws the trees of the documentation: `python docs/pictures/draw.py` writes them beside this file.

It prints what a case of the second costs, planned exactly and by the look-ahead that larger problems are planned with.
"""

import sys
from pathlib import Path

from ufodt import UFODT, Policy, Problem
from ufodt.lab import datasets
from ufodt.tree import Tree

HOSPITAL = ("cp", "exang", "oldpeak", "slope", "thalach", "thal", "ca")


def zoo() -> Tree:
    """Which animal is it? Every question costs 1; the belief comes from the 101 animals with all cells known."""
    problem, X, y = datasets.to_named(datasets.load("zoo"))
    learner = UFODT(problem, seed=1)
    learner.learn_many(X, y)
    return learner.tree()


def cleveland(policy: Policy | None = None) -> UFODT:
    """Is it the heart? Real prices; to miss a disease costs 1000, a false alarm 500."""
    problem, X, y = datasets.to_named(datasets.load("cleveland"), priced=True, loss=[[0, 500], [1000, 0]])
    chosen = [problem.feature_index(name) for name in HOSPITAL]
    small = Problem([problem.features[j] for j in chosen], problem.labels, problem.loss)
    learner = UFODT(small, policy=policy, seed=1)
    learner.learn_many(X[:, chosen], y)
    return learner


def main(folder: Path = Path(__file__).parent) -> None:
    (folder / "zoo.svg").write_text(zoo().to_svg(min_share=0.03), encoding="utf-8")
    exact, lookahead = cleveland(), cleveland(Policy(plan="mean"))
    (folder / "cleveland.svg").write_text(exact.tree().to_svg(min_share=0.02), encoding="utf-8")
    print(f"a case of cleveland.svg costs {exact.gap().cost:.1f}, and {lookahead.gap().cost:.1f} by the look-ahead")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
