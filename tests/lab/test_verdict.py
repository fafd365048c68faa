"""A figure holds when it was measured and reaches its bar, in the right direction."""

import pytest

from ufodt.lab.verdict import Result, spread


@pytest.mark.parametrize(
    ("sense", "bar", "measured", "holds"),
    [
        ("at least", 2.0, 2.0, True),
        ("at least", 2.0, 1.9, False),
        ("at most", 2.0, 2.0, True),
        ("at most", 2.0, 2.1, False),
        ("at least", 0.0, -2e-17, True),  # a mean of differences that cancel
        ("at most", 0.0, 2e-17, True),
        ("at least", 0.0, -1e-9, False),
        ("at least", None, -5.0, True),  # stands beside others, claims nothing
        ("at least", 2.0, None, False),
        ("at least", None, None, False),
    ],
)
def test_a_verdict(sense: str, bar: float | None, measured: float | None, holds: bool) -> None:
    assert Result("n", "c", "", sense, bar, measured, "").holds is holds  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sense", "measured", "error", "is_close"),
    [
        ("at least", 1.9, 0.1, True),
        ("at least", 1.9, 0.09, False),
        ("at most", 2.1, 0.1, True),
        ("at most", 1.9, 0.2, False),  # it holds
        ("at least", 1.9, None, False),
        ("at least", None, 0.2, False),
    ],
)
def test_a_miss_within_its_error_is_named_as_such(
    sense: str, measured: float | None, error: float | None, is_close: bool
) -> None:
    result = Result("n", "c", "", sense, 2.0, measured, "", error=error)  # type: ignore[arg-type]
    assert result.is_within_error is is_close and result.to_dict()["is_within_error"] is is_close


def test_the_standard_error_is_that_of_the_mean() -> None:
    assert spread([1.0, 2.0, 3.0, 4.0]) == pytest.approx((2.5, (5 / 3) ** 0.5 / 2))
    assert spread([7.0]) == (7.0, 0.0)
