"""What people write is read in any of the usual ways, or refused."""

from typing import Any

import pytest

from ufodt import Binary, Categorical, Continuous
from ufodt.errors import InvalidValue
from ufodt.words import from_text


@pytest.mark.parametrize(
    ("feature", "text", "value"),
    [
        (Binary("a"), "1", 1),
        (Binary("a"), " No ", 0),
        (Binary("a"), "1.0", 1),
        (Binary("a"), "T", 1),
        (Categorical("a", ["x", "X"]), "X", "X"),
        (Categorical("a", ["Low", "High"]), "high", "High"),
        (Categorical("a", [1, 2, 2.5]), "2.0", 2),
        (Categorical("a", [1, 2, 2.5]), "2.5", 2.5),
        (Categorical("a", [True, False]), "true", True),
        (Categorical("a", ["1", 1]), "1", None),
        (Categorical("a", ["x", "y"]), "z", None),
        (Categorical("a", ["Ab", "aB"]), "ab", None),
        (Binary("a"), "2", None),
        (Binary("a"), "", None),
        (Continuous("a"), "-1e3", -1000.0),
        (Continuous("a"), "inf", None),
        (Continuous("a"), "nan", None),
        (Continuous("a"), "1,5", None),
    ],
)
def test_what_people_write_is_read_or_refused(feature: Any, text: str, value: Any) -> None:
    if value is None:
        with pytest.raises(InvalidValue, match="a: .* came"):
            from_text(feature, text)
    else:
        assert from_text(feature, text) == value and type(from_text(feature, text)) is type(value)
