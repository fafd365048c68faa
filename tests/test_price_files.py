"""Prices from a table in the shape of a price file."""

import json
from pathlib import Path
from typing import Any

import pytest

from ufodt import Binary, Continuous
from ufodt.errors import InvalidProblem
from ufodt.features import with_prices

from .priced import learner_of, prices

TURNEY = Path(__file__).parents[2] / "shared" / "costs" / "turney1995.json"
TABLE = {
    "_note": "in the shape of a section of a price file",
    "chol": {"price": 7.27, "later": 5.17, "group": "blood", "result": "delayed"},
    "fbs": {"price": 5.20, "later": 3.10, "group": "blood", "result": "delayed"},
    "others": {"price": 1.00},
}


def test_a_section_of_a_price_file_prices_features() -> None:
    features = with_prices([Continuous("chol"), Binary("fbs"), Binary("sex", mandatory=True)], TABLE)
    assert [(f.price, f.group, f.later_price) for f in features] == [
        (7.27, "blood", 5.17),
        (5.20, "blood", 3.10),
        (1.0, None, None),
    ]
    assert features[2].mandatory
    session = learner_of(features).open()
    session.tell("fbs", 1)
    session.tell("chol", 240.0)
    assert session.cost == pytest.approx(5.20 + 5.17)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"a": {"price": 1.0}}, "b: no price came"),
        ({"a": {"price": 1.0}, "b": {"price": 1.0}, "c": {"price": 1.0}}, r"\['c'\]"),
        ({"a": {"later": 1.0}, "b": {"price": 1.0}}, "a: {'later': 1.0} came"),
        ({"a": 3.0, "b": {"price": 1.0}}, "a: 3.0 came"),
        ([1.0, 2.0], "table of prices"),
    ],
)
def test_a_price_table_that_does_not_fit_is_refused_by_name(table: Any, says: str) -> None:
    with pytest.raises(InvalidProblem, match=says):
        with_prices([Binary("a"), Binary("b")], table)


@pytest.mark.skipif(not TURNEY.exists(), reason="no price file: ../shared/costs is not beside the checkout")
def test_the_price_file_of_turney_loads_as_it_is() -> None:
    sections = json.loads(TURNEY.read_text())
    del sections["source"]
    assert len(sections) == 5
    for section in sections.values():
        names = [name for name in section if name != "others" and not name.startswith("_")]
        features = with_prices([Continuous(name) for name in names], section)
        session = learner_of(features).open()
        assert prices(session) == {name: section[name]["price"] for name in names}
        for name in names:
            session.tell(name, 1.0)
        groups = {section[name].get("group", name) for name in names}
        assert session.cost < sum(section[name]["price"] for name in names) or len(groups) == len(names)
