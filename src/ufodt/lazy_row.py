"""A case whose values are fetched when they are first read."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any

from ufodt.errors import InvalidValue


class LazyRow(Mapping[Any, Any]):
    """A case whose values are fetched when they are first read, and only then.

    Parameters
    ----------
    source
        A mapping with the values, or a function from a feature's name to its value.
    names
        What can be had; of a mapping, by default all of it.
    prices
        What features cost in this case, where it differs.

    Examples
    --------
    >>> row = LazyRow(lambda name: len(name), names=["fever", "cough"])
    >>> "fever" in row, row["cough"], row.fetched
    (True, 5, {'cough': 5})
    """

    __slots__ = ("_fetch", "_names", "fetched", "prices")

    def __init__(
        self,
        source: Mapping[Any, Any] | Callable[[Any], Any],
        names: Iterable[Hashable] | None = None,
        *,
        prices: Mapping[Any, float] | None = None,
    ) -> None:
        if isinstance(source, Mapping):
            self._fetch: Callable[[Any], Any] = source.__getitem__
            names = source if names is None else names
        elif callable(source) and names is not None:
            self._fetch = source
        else:
            raise InvalidValue(f"{source!r} came; expected a mapping, or a function together with the `names`.")
        if not isinstance(prices, Mapping | None):
            raise InvalidValue(f"{prices!r} came for the prices of a case; expected a price for each feature's name.")
        self._names = frozenset(names)
        self.prices = prices
        self.fetched: dict[Any, Any] = {}

    def __getitem__(self, name: Any) -> Any:
        if name not in self.fetched:
            if name not in self._names:
                raise KeyError(name)
            self.fetched[name] = self._fetch(name)
        return self.fetched[name]

    def close(self) -> None:
        """From now on nothing can be had but what was fetched."""
        self._names = frozenset(self.fetched)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[Any]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __copy__(self) -> "LazyRow":
        return self

    def __deepcopy__(self, memo: object) -> "LazyRow":
        return self

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        return f"<LazyRow of {len(self._names)} features, {len(self.fetched)} fetched>"
