"""A tree as a Python module of nested ifs, for places where ufodt is not installed."""

from collections.abc import Iterator

from ufodt.features import Continuous
from ufodt.tree.frozen import Branch, Node, Tree
from ufodt.tree.stages import stages

_NESTED = 20  # questions inside each other; Python takes a hundred levels of indentation

_HEAD = '''\
"""A policy frozen by ufodt: what to ask, when to stop, what to answer. It needs the standard library only.

`decide(case)` returns the label and the price of what was asked. `case` is a mapping from names to values; only what
is asked is read. A value that is absent, None or NaN cannot be had. As a program, it reads cases as JSON, one a line,
and writes a label and a price for each.
"""

import json
import math
import sys

FEATURES = {features}
LABELS = {labels}


def decide(case):
    """Return the label and the price for one case."""
    return _node_0(case)


def _value(case, name):
    try:
        value = case[name]
    except KeyError:
        return None
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # those of pandas
        return None
    try:
        return None if value != value else value
    except (TypeError, ValueError, ArithmeticError):
        raise _unknown(name, value) from None


def _number(case, name):
    value = _value(case, name)
    if value is None:
        return None
    try:
        number = math.nan if isinstance(value, (str, bytes, bool)) else float(value)
    except (TypeError, ValueError, ArithmeticError):
        number = math.nan
    if not math.isfinite(number):
        raise _unknown(name, value)
    return number


def _unknown(name, value):
    return ValueError(f"{{name}}: value {{value!r}} came, which is unknown here; leave it out if it is missing.")
'''

_TAIL = """

def _decide_lines():
    for number, line in enumerate(sys.stdin, 1):
        if not line.strip():
            continue
        try:
            case = json.loads(line)
            if not isinstance(case, dict):
                raise ValueError("expected an object of JSON, from names to values.")
            label, price = decide(case)
        except (ValueError, RecursionError) as error:
            sys.exit(f"Line {number}: {error}")
        print(json.dumps({"label": label, "price": price}))


if __name__ == "__main__":
    try:
        _decide_lines()
        sys.stdout.flush()
    except BrokenPipeError:  # nobody reads on
        sys.stdout = None
"""


def to_python(tree: Tree) -> str:
    """Return the module as text; see `Tree.to_python`."""
    names = [feature.name for feature in tree.problem.features]
    parts = [_HEAD.format(features=repr(names), labels=repr(list(tree.problem.labels)))]
    tree = tree.prune(merge=True)
    for starts in stages(tree, _NESTED):
        for at in starts:
            body = _lines(tree, at, _NESTED, 1)
            parts.append("\n".join(["", "", f"def _node_{at}(case):", *body]) + "\n")
    return "".join(parts) + _TAIL


def _lines(tree: Tree, at: int, left: int, level: int) -> Iterator[str]:
    node, indent = tree.nodes[at], "    " * level
    if node.feature is None:
        yield f"{indent}{_end(node)}"
        return
    if left == 0:
        yield f"{indent}return _node_{at}(case)"
        return
    is_number = isinstance(tree.problem.features[tree.problem.feature_index(node.feature)], Continuous)
    yield f"{indent}x = {'_number' if is_number else '_value'}(case, {node.feature!r})"
    yield f"{indent}if x is None:"
    missing = next((branch for branch in node.branches if branch.missing), None)
    if missing is None:
        yield f"{indent}    {_end(node)}"
    else:
        yield from _lines(tree, missing.to, left - 1, level + 1)
    told = [branch for branch in node.branches if not branch.missing]
    for branch in sorted(told, key=lambda b: float("-inf") if b.above is None else b.above):
        holds = _holds(branch)
        yield f"{indent}elif {holds}:" if holds else f"{indent}else:"
        yield from _lines(tree, branch.to, left - 1, level + 1)
    if not is_number:
        yield f"{indent}else:"
        yield f"{indent}    raise _unknown({node.feature!r}, x)"


def _holds(branch: Branch) -> str:
    if len(branch.values) == 1:
        return f"x == {branch.values[0]!r}"
    if branch.values:
        return f"x in {branch.values!r}"
    return "" if branch.upto is None else f"x <= {branch.upto!r}"  # ranges come in order


def _end(node: Node) -> str:
    return f"return {node.label!r}, {node.spent!r}"
