"""What a mistake is worth where nobody says: the limits that another default would meet and miss.

Run as `python experiments/worths.py [runs]`. First LED: what the exact optimum under the true parameters asks and gets
right at each worth, and what the default learner does after 10,000 cases, judged exactly. Then the data sets whose
limits of questions are near, on the authors' splits: accuracy on the hold-out from paid features @ questions there,
and questions while learning, beside the paper's EC2. Stagger has no hold-out: there it is accuracy online. A run is a
split, or a stream, with random numbers of its own. LED's are twelve times as many, and others than those that
`ufodt bench frontier` reports.
"""

import sys
from collections.abc import Sequence

from ufodt import UFODT, drift, stop
from ufodt.lab.datasets import load_paper, paper_split, stagger, to_problem
from ufodt.lab.frontier import LED_SEEDS, learned_led
from ufodt.lab.nine import seeds_of
from ufodt.lab.optimal import led_world, optimum
from ufodt.lab.published import PUBLISHED, STAGGER_QUESTIONS
from ufodt.lab.verdict import spread

VARIANTS: dict[str, float] = {"75 questions": 75, "100 (default)": 100, "125": 125, "140": 140, "150": 150, "200": 200}
FIRST_LED = max(LED_SEEDS) + 1
NEAR = ("spect_heart", "fico", "pima_diabetes")


def on_led(worth: float, seeds: Sequence[int]) -> str:
    """Return the optimum and what was learned, both under the true parameters."""
    world = led_world()
    best = optimum(world, worth=worth)
    judged = [learned_led(world, seed, worth=worth) for seed in seeds]
    accuracy, asked = spread(j.accuracy for j in judged), spread(j.n_asked for j in judged)
    ratio = spread(j.cost / best.cost for j in judged)
    return (
        f"optimum {best.accuracy:.5f} @ {best.n_asked:.2f}, learned {accuracy.mean:.5f}±{accuracy.error:.5f} @ "
        f"{asked.mean:.2f}±{asked.error:.2f}, cost over the optimum's {ratio.mean:.3f}"
    )


def on_splits(name: str, worth: float, seeds: Sequence[int]) -> str:
    """Return what is right and asked on the authors' hold-outs, and asked while learning."""
    data, found = load_paper(name), []
    for seed in seeds:
        rows, others = paper_split(name, seed)
        learner = UFODT(to_problem(data), stop=stop.cost_benefit(worth), seed=seed)
        record = learner.run(data.X[rows], data.y[rows])
        report = learner.evaluate(data.X[others], data.y[others])
        found.append((report.accuracy, report.n_asked, record.n_asked.mean()))
    accuracy, asked, learning = (spread(column) for column in zip(*found, strict=True))
    limit = PUBLISHED[name, "UFODT-EC2"].questions
    return f"{accuracy} @ {asked}, while learning {learning}, the paper's EC2 {limit:.2f}"


def on_stagger(worth: float, seeds: Sequence[int]) -> str:
    """Return what is right and asked online, adapting."""
    found = []
    for seed in seeds:
        data = stagger(seed=seed, form="binary4")
        learner = UFODT(to_problem(data), drift=drift.auto(), stop=stop.cost_benefit(worth), seed=seed)
        record = learner.run(data.X, data.y)
        found.append(((record.predicted == data.y).mean(), record.n_asked.mean()))
    accuracy, asked = (spread(column) for column in zip(*found, strict=True))
    limit = STAGGER_QUESTIONS["UFODT-EC2"][0] / len(data.y)
    return f"{accuracy} online, while learning {asked}, the paper's EC2 {limit:.2f}"


def main(n_runs: int = 25) -> None:
    """Print one line for each data set and worth."""
    for variant, worth in VARIANTS.items():
        print(f"{'led':16}{variant:16}{on_led(worth, range(FIRST_LED, FIRST_LED + 12 * n_runs))}", flush=True)
    for name in NEAR:
        seeds = [seeds_of(name)[0] + i for i in range(n_runs)]
        for variant, worth in VARIANTS.items():
            print(f"{name:16}{variant:16}{on_splits(name, worth, seeds)}", flush=True)
    for variant, worth in VARIANTS.items():
        print(f"{'stagger':16}{variant:16}{on_stagger(worth, range(n_runs))}", flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
