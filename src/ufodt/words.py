"""Values as people write and read them.

A text becomes a value of its feature, whatever words, case or decimal comma it came in; a value and a range of numbers
become words.
"""

import math
import re
from collections.abc import Iterable

from ufodt.amount import as_number
from ufodt.errors import InvalidValue
from ufodt.features import Binary, Continuous, Feature, Value, some

TRUTH_VALUES = (("0", "1"), ("false", "true"), ("no", "yes"), ("n", "y"), ("f", "t"))  # as people write them
TRUTH = {word: outcome for pair in TRUTH_VALUES for outcome, word in enumerate(pair)}
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+(?:e[+-]?\d+)?", re.IGNORECASE)
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")  # or a decimal comma, which one such number does not tell


def from_text(feature: Feature, text: str, *, decimal_comma: bool = False) -> Value:
    """Return the value that somebody wrote: a number, a name in any case, 0 and 1 in any of the usual words.

    With `decimal_comma` a number may be written so too; `1,234`, which may be a thousand and more, may not.

    >>> from ufodt.features import Categorical
    >>> from_text(Binary("fever"), "yes"), from_text(Categorical("rhythm", ["sinus", "flutter"]), " Flutter ")
    (1, 'flutter')
    >>> from_text(Continuous("glucose"), "high")
    Traceback (most recent call last):
    ...
    ufodt.errors.InvalidValue: glucose: 'high' came; expected a number.
    """
    written = text.strip()
    if isinstance(feature, Continuous):
        written = with_point(written) if decimal_comma else written
        if not math.isfinite(as_number(written)):
            raise InvalidValue(f"{feature.name}: {written!r} came; expected a number.")
        return as_number(written)
    plain_text = written.lower()
    if isinstance(feature, Binary):
        if plain_text.removesuffix(".0") not in TRUTH:
            raise InvalidValue(f"{feature.name}: {written!r} came; expected 0 or 1, no or yes.")
        return TRUTH[plain_text.removesuffix(".0")]
    same = meant(feature.values, written)
    if len(same) != 1:
        raise InvalidValue(f"{feature.name}: {written!r} came; expected one of {some(feature.values)}.")
    return same[0]


def have_commas(texts: Iterable[str]) -> bool:
    """Return whether commas in a column of numbers are decimal points: a table writes all its numbers alike.

    >>> have_commas(["1,5", "3", "<2"]), have_commas(["1,5", "2.5"])
    (True, False)
    """
    return not any("." in text and not math.isnan(as_number(text)) for text in texts)


def with_point(text: str) -> str:
    """Return a number with a decimal comma as one with a point; any other text as it is.

    >>> with_point("1,5"), with_point("1,234"), with_point("a,b")
    ('1.5', '1,234', 'a,b')
    """
    is_one = DECIMAL_COMMA.fullmatch(text) and not THOUSANDS.fullmatch(text)
    return text.replace(",", ".") if is_one else text


def meant(names: Iterable[Value], text: str) -> list[Value]:
    """Return those that a text may stand for: written just so, else in another case, else as the same number.

    >>> meant(["Low", "High"], "high"), meant([1, 2.5], "1.0"), meant(["10", "20"], "10.0"), meant(["a", "A"], "a")
    (['High'], [1], ['10'], ['a'])
    """
    known = list(names)
    same = [name for name in known if str(name) == text]
    same = same or [name for name in known if str(name).lower() == text.lower()]
    return same or [name for name in known if as_number(text) == as_number(str(name))]


def in_words(feature: Feature, value: Value) -> str:
    """Return a value as people read it: of a binary feature, no and yes; a blank text in quotes.

    >>> from ufodt.features import Categorical
    >>> in_words(Binary("fever"), 1), in_words(Categorical("legs", [0, 2, 4]), 0)
    ('yes', '0')
    >>> in_words(Categorical("ward", ["", "west"]), "")
    "''"
    """
    if isinstance(feature, Binary):
        return ("no", "yes")[feature.outcome(value)]
    return str(value) if str(value).strip() else repr(value)


def interval(above: float | None, upto: float | None) -> str:
    """Return how a range of numbers is written, its upper end included; None: without end.

    >>> interval(None, 37.5), interval(37.5, 38.25), interval(38.25, None), interval(20230115.5, 20230125.5)
    ('≤ 37.5', '37.5 to 38.25', '> 38.25', '20230115.5 to 20230125.5')
    >>> interval(0.12345671, 0.12345672)
    '0.12345671 to 0.12345672'
    """
    ends = [end for end in (above, upto) if end is not None]
    for n_digits in range(6, 18):
        texts = [_rounded(end, n_digits) for end in ends]
        if len(set(texts)) == len(ends):
            break
    if len(texts) == 2:
        return " to ".join(texts)
    return f"{'≤' if above is None else '>'} {texts[0]}"


def _rounded(number: float, n_digits: int) -> str:
    """A number with some digits; of a large one, such as a date, at least those before the point."""
    return f"{number:.{n_digits if abs(number) < 1e6 else max(n_digits, 10)}g}"
