"""The frozen tree: it decides as the learner does, and its figures add up."""

import json
import math
import sys
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from ufodt import UFODT, Binary, Categorical, Continuous, Problem, stop, thresholds
from ufodt.errors import InvalidValue, MissingPackage
from ufodt.tree import Tree

from .cases import LEARNERS, make, stream_of

every_learner = pytest.mark.parametrize("name", LEARNERS)
answers_by_the_mean = pytest.mark.parametrize("name", [n for n in LEARNERS if make(n).policy.predict == "mean"])


def learned(name: str, n: int = 150) -> UFODT:
    learner = make(name)
    learner.run(*stream_of(name, 1, n, missing=0.05))
    return learner


def agree(tree: Tree, learner: UFODT, X: Any) -> None:
    record, decided = learner.evaluate(X).record, tree.predict(X)
    assert decided.labels.tolist() == record.predicted.tolist()
    np.testing.assert_array_equal(decided.cost, record.cost)
    np.testing.assert_array_equal(decided.probability, record.probability)


@pytest.fixture(scope="module")
def tree() -> Tree:
    return learned("bins-ig").tree()


@every_learner
def test_a_whole_tree_answers_as_the_learner_does(name: str) -> None:
    learner = learned(name)
    tree = learner.tree(max_missing=None, max_nodes=200_000)
    assert tree.complete
    agree(tree, learner, stream_of(name, 5, 300, missing=0.2)[0])


@every_learner
def test_without_missing_values_no_branch_for_them_is_needed(name: str) -> None:
    learner = learned(name)
    agree(learner.tree(max_missing=0, max_nodes=200_000), learner, stream_of(name, 6, 300)[0])


@pytest.mark.parametrize("cutting", [thresholds.bins(4), thresholds.exhaustive(4), thresholds.exp3(4)])
def test_prices_of_every_kind_are_those_of_the_learner(cutting: Any) -> None:
    problem = Problem(
        [
            Binary("cheap", price=0.5),
            Categorical("blood", ["a", "b", "c"], price=3.0, group="lab", later_price=1.0, surcharge={"b": 2.5}),
            Continuous("iron", price=2.0, group="lab", later_price=0.5),
            Continuous("ratio", price=4.0, computed_from=["iron"]),
            Binary("scan", price=6.0, needs=["cheap"]),
            Binary("first", price=1.0, mandatory=True),
        ],
        labels=[False, True],
        loss=[[0, 40], [60, 0]],
    )
    learner = UFODT(problem, thresholds=cutting, stop=stop.cost_benefit() | stop.budget(9.0), seed=3)
    rng = np.random.default_rng(1)
    y = rng.random(400) < 0.4
    X = np.empty((400, 6), dtype=object)
    for j in (0, 4, 5):
        X[:, j] = (rng.random(400) < 0.3 + 0.4 * y).astype(int)
    X[:, 1] = np.where(rng.random(400) < 0.6, np.where(y, "b", "a"), rng.choice(["a", "b", "c"], 400))
    X[:, 2] = rng.normal(size=400) + y
    X[:, 3] = X[:, 2] * 2
    X[rng.random(X.shape) < 0.1] = None
    learner.run(X, y)
    tree = learner.tree(max_missing=None, max_nodes=100_000)
    assert tree.complete and tree.nodes[0].feature == "first"
    agree(tree, learner, X)
    surcharged = [node for node in tree.nodes if node.feature == "blood"]
    paid = {tree.nodes[b.to].spent - node.spent for node in surcharged for b in node.branches if "b" in b.values}
    assert paid <= {5.5, 3.5} and paid


@answers_by_the_mean
def test_shares_and_probabilities_of_a_node_are_those_of_its_branches(name: str) -> None:
    learner = learned(name)
    tree = learner.tree(max_nodes=3000)
    for node in tree.nodes:
        told = [tree.nodes[branch.to] for branch in node.branches if not branch.missing]
        if told:
            assert sum(child.share for child in told) == pytest.approx(node.share)
            price = sum(child.share * (child.spent - node.spent) for child in told) / node.share
            assert price == pytest.approx(node.price)
            if learner.belief.overlap > 0 or learner.belief.is_paired:  # such answers do not average out
                continue
            mixed = sum(child.share * np.array(child.probabilities) for child in told) / node.share
            np.testing.assert_allclose(mixed, node.probabilities, atol=1e-9)


def test_what_is_to_come_is_the_mean_of_what_cases_pay() -> None:
    problem = Problem([Binary("a"), Binary("b", price=2.0), Binary("c", price=0.5)], labels=["x", "y"])
    learner = UFODT(problem, seed=1)
    rng = np.random.default_rng(0)
    y = rng.random(500) < 0.5
    X = (rng.random((500, 3)) < np.where(y[:, None], [0.8, 0.9, 0.6], [0.3, 0.2, 0.5])).astype(int)
    learner.learn_many(X, np.where(y, "y", "x"))
    tree = learner.tree()
    p, label = learner.belief.mean()  # (feature, outcome, label)
    fresh = np.random.default_rng(1)
    labels = fresh.choice(2, 40_000, p=label)
    cases = (fresh.random((40_000, 3)) < p.reshape(3, 2, 2)[:, 1, :].T[labels]).astype(int)
    cost = tree.predict(cases).cost
    assert cost.mean() == pytest.approx(tree.nodes[0].remaining, abs=4 * cost.std() / 200)


def test_a_case_that_misses_more_than_is_planned_for_is_answered_where_it_stands() -> None:
    learner = learned("ours-ig")
    tree = learner.tree(max_missing=0)
    decided = tree.predict([[None] * 6])
    assert decided.node.tolist() == [0] and decided.cost.tolist() == [0.0]
    assert decided.labels.tolist() == [tree.nodes[0].label]


def test_limits_keep_the_likeliest_nodes() -> None:
    learner = learned("bins-ig")
    whole = learner.tree(max_missing=0, max_nodes=50_000)
    limit = len(whole.nodes) // 2
    small = learner.tree(max_missing=0, max_nodes=limit)
    assert 1 < len(small.nodes) <= limit and whole.complete and not small.complete
    asked = min(node.share for node in small.nodes if node.feature)
    assert asked >= max(node.share for node in small.nodes if node.cut) - 1e-12
    assert learner.tree(max_depth=2).depth <= 3  # two answers, and one that cannot be had
    assert learner.tree(max_depth=2, max_missing=0).depth == 2
    assert all(node.share >= 0.1 for node in learner.tree(min_share=0.1).nodes if node.feature)


def test_pruning_a_tree_is_unrolling_less_of_it() -> None:
    learner = learned("bins-ig")
    X = stream_of("bins-ig", 8, 200, missing=0.1)[0]
    whole = learner.tree(max_nodes=100_000)
    for limits in ({"max_depth": 2}, {"min_share": 0.05}):
        pruned, less = whole.prune(**limits), learner.tree(max_nodes=100_000, **limits)
        assert len(pruned.nodes) == len(less.nodes)
        assert pruned.predict(X).labels.tolist() == less.predict(X).labels.tolist()
        np.testing.assert_allclose(pruned.predict(X).cost, less.predict(X).cost)
        assert pruned.nodes[0].remaining == pytest.approx(less.nodes[0].remaining)


def test_merging_leaves_changes_neither_label_nor_cost(tree: Tree) -> None:
    X = stream_of("bins-ig", 8, 300, missing=0.1)[0]
    merged = tree.prune(merge=True)
    assert len(merged.nodes) < len(tree.nodes)
    assert merged.predict(X).labels.tolist() == tree.predict(X).labels.tolist()
    assert merged.predict(X).cost.tolist() == tree.predict(X).cost.tolist()
    assert merged.nodes[0].remaining == pytest.approx(tree.nodes[0].remaining)


def test_a_view_keeps_the_figures_of_the_whole_tree(tree: Tree) -> None:
    first = tree.to_text(max_depth=1).splitlines()[0]
    assert first == tree.to_text().splitlines()[0]


def test_a_learner_that_asks_nothing_has_a_tree_of_one_leaf() -> None:
    problem = Problem([Binary("a")], labels=["x", "y"], loss=[[0, 1e-9], [1e-9, 0]])
    tree = UFODT(problem).tree()
    assert len(tree.nodes) == 1 and tree.depth == 0 and tree.complete
    assert tree.predict([[1], [None]]).cost.tolist() == [0.0, 0.0]
    assert "→ x 50%" in tree.to_text() and "svg" in tree.to_svg() and "digraph" in tree.to_dot()


def test_a_number_that_tells_nothing_yet_has_one_branch() -> None:
    problem = Problem([Continuous("a", mandatory=True), Binary("b")], labels=["x", "y"])
    tree = UFODT(problem).tree()
    assert [str(branch) for branch in tree.nodes[0].branches] == ["any value", "cannot be had"]
    agree(tree, UFODT(problem), [[0.5, 1], [None, 0]])


# --- as text, as a picture, as JSON --------------------------------------------------------------------


def test_json_brings_back_the_same_tree(tree: Tree) -> None:
    assert Tree.from_json(tree.to_json()) == tree
    assert Tree.from_dict(tree.to_dict()) == tree


def _spoil(described: dict[str, Any], what: str) -> None:
    nodes = described["nodes"]
    if what == "loop":
        nodes[0]["branches"][0]["to"] = 0
    elif what == "away":
        nodes[0]["branches"][0]["to"] = 10**6
    elif what == "question":
        nodes[0]["feature"] = "fewer"
    elif what == "label":
        nodes[0]["label"] = "dead"
    elif what == "number":
        nodes[0]["spent"] = "much"
    elif what == "nan":
        nodes[0]["share"] = float("nan")
    elif what == "nodes":
        described["nodes"] = []
    elif what == "version":
        described["version"] = 99
    elif what == "format":
        described["format"] = "forest"
    elif what == "probabilities":
        nodes[0]["probabilities"] = [1.0]
    elif what == "orphan":
        nodes.append(nodes[-1])
    elif what == "chance":
        nodes[0]["probabilities"] = [2.0, *nodes[0]["probabilities"][1:]]
    elif what == "price":
        nodes[0]["price"] = -1.0
    elif what == "cut":
        nodes[0]["cut"] = "false"
    elif what == "half":
        nodes[0]["branches"][0]["to"] += 0.5
    elif what == "missing":
        nodes[0]["branches"][0]["missing"] = "false"


@pytest.mark.parametrize(
    "what",
    "loop away question label number nan nodes version format probabilities orphan".split()
    + "chance price cut half missing".split(),
)
def test_what_is_no_tree_is_refused(tree: Tree, what: str) -> None:
    described = json.loads(tree.to_json())
    _spoil(described, what)
    with pytest.raises(InvalidValue):
        Tree.from_dict(described)


@pytest.mark.parametrize(
    ("values", "ranges"),
    [
        ([["a"], ["b"]], [[None, 1.0], [1.0, None]]),  # a value is left out
        ([["a"], ["b", "c"], ["a"]], [[None, 1.0], [1.0, None]]),
        ([["a", "b", "c"]], [[None, 1.0], [1.5, None]]),
        ([["a", "b", "c"]], [[None, 1.0], [0.5, None]]),
        ([["a", "b", "c"]], [[None, 1.0]]),
        ([["a", "b", "c"]], [[1.0, None]]),
        ([["a", "b", "c"]], [[None, None], [None, None]]),
        ([["a", "b", "c"]], [[None, math.inf], [math.inf, None]]),
        ([["a", "b", "c"]], [[None, math.nan], [math.nan, None]]),
        ([["a", "b", "c"]], [[None, 1.0], [1.0, 1.0], [1.0, None]]),
    ],
)
def test_branches_that_do_not_say_where_every_value_goes_are_refused(values: Any, ranges: Any) -> None:
    problem = Problem([Categorical("c", ["a", "b", "c"]), Continuous("x", cuts=[1.0])], labels=[0, 1])
    described = UFODT(problem).tree().to_dict()

    def with_branches(values: Any, ranges: Any) -> dict[str, Any]:
        leaf = {**described["nodes"][0], "feature": None, "branches": []}
        first = [{"to": 1 + i, "values": each} for i, each in enumerate(values)]
        second = [{"to": 1 + len(values) + i, "above": a, "upto": b} for i, (a, b) in enumerate(ranges)]
        asks = [{**leaf, "feature": "c", "branches": first}, {**leaf, "feature": "x", "branches": second}]
        return {**described, "nodes": [*asks, *[leaf] * (len(first) + len(second) - 1)]}

    assert len(Tree.from_dict(with_branches([["a"], ["b", "c"]], [[None, 1.0], [1.0, None]])).nodes) == 5
    with pytest.raises(InvalidValue, match="does not fit together"):
        Tree.from_dict(with_branches(values, ranges))


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"format": "ufodt tree"}'])
def test_text_that_holds_no_tree_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue):
        Tree.from_json(text)


@pytest.mark.parametrize(
    "limits",
    [
        {"max_depth": -1},
        {"max_depth": 2.5},
        {"min_share": 2},
        {"max_nodes": 0},
        {"max_missing": -1},
        {"max_depth": True},
    ],
)
def test_limits_that_mean_nothing_are_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue, match=next(iter(limits))):
        make("ours-ig").tree(**limits)


NASTY = 'a"b\'; DROP TABLE cases; --\n<&>\\ "]] {x} \u202e日本 \x07'


@pytest.fixture(scope="module")
def nasty() -> Tree:
    """Names and values that would break out of any quotes that are not closed well."""
    values = ["x' OR '1'='1", 'y"\\', "</text><script>"]
    problem = Problem(
        [Categorical(NASTY, values), Binary("b"), Continuous('"c"', cuts=[0.1, 0.2])], labels=["it's", NASTY, "</svg>"]
    )
    learner = UFODT(problem, seed=2)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    X = np.empty((300, 3), dtype=object)
    X[:, 0] = [values[(label + (rng.random() < 0.3)) % 3] for label in y]
    X[:, 1] = (rng.random(300) < 0.2 + 0.3 * y).astype(int)
    X[:, 2] = rng.normal(size=300) + y
    learner.learn_many(X, [problem.labels[label] for label in y])
    return learner.tree(max_missing=None)


def test_a_picture_is_well_formed_whatever_the_names_are(nasty: Tree) -> None:
    root = ElementTree.fromstring(nasty.to_svg())
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags == {"svg", "rect", "text", "path", "g", "title"}


def test_a_line_stays_a_line_whatever_the_names_are(nasty: Tree) -> None:
    n_lines = len(nasty.to_text(max_depth=None, min_share=0.0).split("\n"))
    assert n_lines == len(nasty.to_text(max_depth=None, min_share=0.0).splitlines())
    assert "\x07" not in nasty.to_text()
    for line in nasty.to_dot().splitlines():
        quotes = line.replace("\\\\", "").replace('\\"', "").count('"')
        assert quotes % 2 == 0, line


def test_every_box_of_a_picture_lies_inside_it_and_none_on_another(tree: Tree) -> None:
    from ufodt.tree.layout import BOX_WIDTH, lay_out

    picture = lay_out(tree.prune(max_depth=4, min_share=0.01))
    boxes = sorted(picture.boxes, key=lambda box: (box.x, box.y))
    for box in boxes:
        assert 0 <= box.x <= picture.width - BOX_WIDTH and 0 <= box.y <= picture.height - box.height
    for one, other in zip(boxes, boxes[1:], strict=False):
        assert one.x != other.x or one.y + one.height <= other.y
    assert lay_out(tree.prune(max_depth=4, missing=False)).width < 950, "too wide for a page"


def test_a_plot_without_matplotlib_names_the_package(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingPackage, match=r"pip install .ufodt\[plots\]"):
        tree.plot()


def test_the_plot_is_the_picture(tree: Tree) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    ax = tree.plot(max_depth=2)
    written = {text.get_text() for text in ax.texts}
    assert any(text.startswith(f"{tree.nodes[0].feature}?") for text in written)
    figure, own = plt.subplots()
    assert tree.plot(own, max_depth=1) is own
    plt.close("all")


def test_names_stay_in_their_boxes_and_read_from_left_to_right() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    learner = UFODT(Problem([Binary("two\nlines"), Binary("\u202eback")], labels=["x\ny", "z"]), seed=1)
    learner.learn_many([[0, 1], [1, 0]] * 50, ["x\ny", "z"] * 50)
    assert all(text.get_text().isprintable() for text in learner.tree().plot().texts)
    plt.close("all")


def test_reading_a_tree_imports_no_painter() -> None:
    import subprocess

    code = (
        "import sys, ufodt; l = ufodt.UFODT(ufodt.Problem([ufodt.Binary('a')], labels=[0, 1]))\n"
        "t = l.tree(); t.to_svg(), t.to_text(), t.to_json(), t.to_sql('t'), t.to_python()\n"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
