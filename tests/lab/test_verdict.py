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


def test_the_standard_error_is_that_of_the_mean() -> None:
    assert spread([1.0, 2.0, 3.0, 4.0]) == pytest.approx((2.5, (5 / 3) ** 0.5 / 2))
    assert spread([7.0]) == (7.0, 0.0)
