"""Random worlds with known parameters: what our policy pays in each beside the exact optimum and simpler policies.

A world has ten binary tests. P(1 | label) of each is uniform on (0.01, 0.99), P(label) is Dirichlet(2). Prices are
1, or those of ten of the thirteen measurements of the heart-disease data, drawn at random and with their groups: the
next measurement of one blood sample or one exercise run is cheaper. A mistake costs the same whatever the label; the
amounts go round, from one that is worth few questions to one that is worth nearly all. World number i of a kind
follows from the seed and i alone, and the seed of the verdict is used for nothing else: policies are chosen on worlds
of other seeds.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from ufodt import core, stop
from ufodt import policy as policies
from ufodt.certificate import Expected
from ufodt.features import Binary
from ufodt.lab.datasets import TURNEY
from ufodt.lab.optimal import World, follow, optimum
from ufodt.lab.verdict import Measurements, Result, at_most, spread
from ufodt.policy import Criterion, Policy
from ufodt.problem import Problem

N_TESTS = 10
LABELS = (2, 3, 6)
PRICES = ("unit", "heart")
MISTAKES = {"unit": (10.0, 25.0, 50.0, 100.0, 200.0), "heart": (100.0, 200.0, 400.0, 1000.0, 2000.0)}
N_WORLDS = 25
VERDICT_SEED = 2023
QUICK_SEED = 1
MEAN_BAR, WORST_BAR = 1.03, 1.15
OURS = "ours"


def measure(*, quick: bool = False) -> Measurements:
    """Give one measurement per kind of prices and number of labels; a quick look takes five worlds of another seed."""
    seed, n = (QUICK_SEED, len(MISTAKES["unit"])) if quick else (VERDICT_SEED, N_WORLDS)
    for prices in PRICES:
        for n_labels in LABELS:
            yield (
                f"worlds, {prices} prices, {n_labels} labels",
                lambda prices=prices, n_labels=n_labels: compare(prices, n_labels, seed=seed, n=n),  # type: ignore[misc]
            )


def compare(prices: str, n_labels: int, *, seed: int, n: int) -> list[Result]:
    """Return mean and worst ratio of what our policy pays to the optimum, with the same for other policies."""
    ratios: dict[str, list[float]] = {}
    for i, world in enumerate(worlds(prices, n_labels, seed=seed, n=n)):
        least = optimum(world).cost
        for who, cost in costs(world, seed=i).items():
            ratios.setdefault(who, []).append(cost / least)
    what = f"{prices} prices, {n_labels} labels"
    beside = ", ".join(
        f"{who} {np.mean(found):.3f} (worst {max(found):.2f})" for who, found in ratios.items() if who != OURS
    )
    ours = spread(ratios[OURS])
    key = f"{prices}_{n_labels}"
    return [
        at_most(
            name=f"gap_{key}",
            claim=f"{what}: cost over the optimum's, mean of {n} worlds",
            unit="times",
            bar=MEAN_BAR,
            measured=ours,
            note=beside,
            detail=ratios,
        ),
        at_most(
            name=f"worst_gap_{key}",
            claim=f"{what}: cost over the optimum's, worst world",
            unit="times",
            bar=WORST_BAR,
            measured=max(ratios[OURS]),
        ),
    ]


def costs(world: World, *, seed: int) -> dict[str, float]:
    """Return what each policy pays in a world; those that draw hypotheses are averaged over three draws."""
    worth = policies.worth(Policy(), world.problem)
    ec2 = replace(policies.paper(n_hypotheses=128), plan="mean")
    drawn = {
        OURS: Policy(),
        "look-ahead": Policy(plan="mean"),  # as where a problem is too large to be planned exactly
        "EC2, region stop": ec2,
        "IG, 95 % sure": Policy(criterion="ig", stop=stop.confidence(0.95)),  # type: ignore[arg-type]
    }
    found = {
        who: float(np.mean([follow(world, policy, worth=worth, seed=3 * seed + k).cost for k in range(3)]))
        for who, policy in drawn.items()
    }
    found["IG, one-step stop"] = play(world, one_step).cost
    found["no tests"] = play(world, lambda *_: None).cost
    found["all tests"] = play(world, lambda plan, *_: plan.gains()[0][0] if plan.gains() else None).cost
    return found


def worlds(prices: str, n_labels: int, *, seed: int, n: int = N_WORLDS) -> Iterator[World]:
    """Give the first worlds of a kind, all different."""
    for i in range(n):
        rng = np.random.default_rng([seed, n_labels, PRICES.index(prices), i])
        mistake = MISTAKES[prices][i % len(MISTAKES[prices])]
        problem = Problem(_tests(prices, rng), labels=range(n_labels), loss=mistake * (1 - np.eye(n_labels)))
        p = rng.uniform(0.01, 0.99, (N_TESTS, n_labels))
        theta = np.stack([1 - p, p], axis=1).reshape(2 * N_TESTS, n_labels)
        yield World(problem, theta, rng.dirichlet(np.full(n_labels, 2.0)))


def _tests(prices: str, rng: np.random.Generator) -> list[Binary]:
    if prices == "unit":
        return [Binary(f"test {j}") for j in range(N_TESTS)]
    names = rng.permutation(sorted(TURNEY["cleveland"]))[:N_TESTS].tolist()
    priced = [(name, TURNEY["cleveland"][name]) for name in names]
    return [Binary(name, price=p.price, later_price=p.later_price, group=p.group) for name, p in priced]


# --- policies that the core does not have ---------------------------------------------------------------

Choose = Callable[[core.Plan, World, np.ndarray], int | None]


def play(world: World, choose: Choose) -> Expected:
    """Return what a policy given as a function pays: of the plan so far and P(label) it chooses a feature, or None."""
    sure = Policy(criterion=Criterion.IG, stop=stop.confidence(1.0))
    policy = policies.settled(sure, world.problem, world.compiled, world.belief)
    plan = core.Plan(world.compiled, policy, world.belief, seed=0, number=0)
    first_row = np.cumsum([0, *world.compiled.n_outcomes])
    losses, worth = world.problem.losses, policies.worth(Policy(), world.problem)
    total = np.zeros(4)

    def visit(evidence: tuple[tuple[int, int], ...], joint: np.ndarray) -> None:
        plan.reset()
        for feature, outcome in evidence:
            plan.observe(feature, outcome)
        mass = joint.sum()
        chosen = choose(plan, world, joint / mass)
        if chosen is None:
            answer = int((joint @ losses).argmin())
            total[:] += mass * plan.spent, joint @ losses[:, answer], joint[answer], mass * len(evidence)
            return
        for outcome in range(world.compiled.n_outcomes[chosen]):
            visit((*evidence, (chosen, outcome)), joint * world.theta[first_row[chosen] + outcome])

    visit((), world.label)
    price, loss, accuracy, n_asked = total.tolist()
    return Expected(price + worth * loss, price, loss, accuracy, n_asked)


def one_step(plan: core.Plan, world: World, p: np.ndarray) -> int | None:
    """Choose the best information gain per price of the questions that pay for themselves alone."""
    losses, worth = world.problem.losses, policies.worth(Policy(), world.problem)
    first_row = np.cumsum([0, *world.compiled.n_outcomes])
    now = (p @ losses).min()
    best: tuple[float, int | None] = (-1.0, None)
    for feature, price, gain in plan.gains():
        then = p * world.theta[first_row[feature] : first_row[feature + 1]]
        saved = worth * (now - (then @ losses).min(axis=1).sum())
        if saved > price and gain / max(price, 1e-300) > best[0]:
            best = (gain / max(price, 1e-300), feature)
    return best[1]
