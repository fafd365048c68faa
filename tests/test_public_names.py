"""The public names, changed only on purpose."""

import ufodt


def test_the_public_names_are_these() -> None:
    assert ufodt.__all__ == [
        "UFODT",
        "Binary",
        "Categorical",
        "Continuous",
        "Criterion",
        "Expert",
        "Policy",
        "Prior",
        "Problem",
        "Selection",
        "Session",
        "drift",
        "errors",
        "load",
        "stop",
        "thresholds",
    ]


def test_every_public_name_exists() -> None:
    assert all(hasattr(ufodt, name) for name in ufodt.__all__)
