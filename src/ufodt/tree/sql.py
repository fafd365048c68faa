"""A tree as one SELECT in standard SQL: a CASE expression for the label, another for the price."""

import sys
from collections.abc import Callable

from ufodt.errors import InvalidValue
from ufodt.features import Value
from ufodt.problem import Label
from ufodt.tree.frozen import Branch, Node, Tree
from ufodt.tree.stages import stages

LABEL, PRICE = "ufodt_label", "ufodt_price"
_LARGEST = repr(sys.float_info.max)  # every range ends here, or SQLite would put a text above all numbers
_NESTED = 10  # questions inside each other; the parser of SQLite holds a hundred symbols, a question takes six

_Said = Callable[[Node], str]  # what a query wants to know of the node where a row ends


def to_sql(tree: Tree, table: str) -> str:
    """Return the SELECT; see `Tree.to_sql`."""
    if not isinstance(table, str) or not table:
        raise InvalidValue(f"{table!r} came for the table; expected its name.")
    for feature in tree.problem.features:
        if feature.name.lower() in (LABEL, PRICE):
            raise InvalidValue(
                f"A feature is called {feature.name!r}, as a column of the result; give it another name."
            )
    tree = tree.prune(merge=True)
    label = _whole(tree, lambda node: _literal(node.label))
    price = _whole(tree, lambda node: _literal(float(node.spent)))
    return f"SELECT t.*,\n  {label} AS {LABEL},\n  {price} AS {PRICE}\nFROM {_name(table)} AS t;\n"


def _whole(tree: Tree, said: _Said) -> str:
    """The tree as one expression. Of a deep tree, pieces that begin further down come first, each under its path."""
    deeper = [at for starts in stages(tree, _NESTED)[:0:-1] for at in starts]
    if not deeper:
        return _case(tree, 0, _NESTED, "  ", said)
    above = {branch.to: (at, branch) for at, node in enumerate(tree.nodes) for branch in node.branches}
    lines = ["CASE"]
    for at in deeper:
        path, here = [], at
        while here in above:
            here, branch = above[here]
            path.append(_holds(_column(tree.nodes[here]), branch))
        lines.append(f"    WHEN {' AND '.join(reversed(path))}\n    THEN {_case(tree, at, _NESTED, '    ', said)}")
    return "\n".join([*lines, f"    ELSE {_case(tree, 0, _NESTED, '    ', said)}", "  END"])


def _case(tree: Tree, at: int, left: int, indent: str, said: _Said) -> str:
    node, inner = tree.nodes[at], indent + "  "
    if node.feature is None or left == 0:
        return said(node)
    column, lines = _column(node), []
    if not any(branch.missing for branch in node.branches):
        lines.append(f"{inner}WHEN {column} IS NULL THEN {said(node)}")
    for branch in node.branches:
        lines.append(f"{inner}WHEN {_holds(column, branch)} THEN {_case(tree, branch.to, left - 1, inner, said)}")
    return "\n".join(["CASE", *lines, f"{indent}END"])


def _holds(column: str, branch: Branch) -> str:
    if branch.missing:
        return f"{column} IS NULL"
    if len(branch.values) == 1:
        return f"{column} = {_literal(branch.values[0])}"
    if branch.values:
        return f"{column} IN ({', '.join(_literal(value) for value in branch.values)})"
    low = f"{column} >= -{_LARGEST}" if branch.above is None else f"{column} > {_literal(branch.above)}"
    return f"{low} AND {column} <= {_LARGEST if branch.upto is None else _literal(branch.upto)}"


def _column(node: Node) -> str:
    assert node.feature is not None
    return f"t.{_name(node.feature)}"  # of the table, or SQLite would take an unknown name for a string


def _name(name: str) -> str:
    """A name in double quotes, whatever is in it."""
    _check_text(name)
    return '"' + name.replace('"', '""') + '"'


def _literal(value: Value | Label) -> str:
    if isinstance(value, bool):
        return "(1=1)" if value else "(1=0)"  # TRUE would be a column, where one is called so
    if isinstance(value, int | float):
        return repr(value)
    _check_text(value)
    return "'" + value.replace("'", "''") + "'"


def _check_text(text: str) -> None:
    if "\0" in text:
        raise InvalidValue(f"{text!r} holds a zero character, which SQL cannot write; choose another name.")
