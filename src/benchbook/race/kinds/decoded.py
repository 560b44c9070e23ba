"""What a client read, for kinds whose variants decode the same data."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class DecodedAnswer:
    """What a client read: forecasts, their digest to the millisecond, bytes of the body as it was
    sent. exact: the digest to the tick and with the kind of date, where clients tell it; '' for
    JavaScript, whose Date has neither."""

    forecasts: int
    digest: str
    bytes: int
    exact: str | None = None

    def same_as(self, other: "DecodedAnswer") -> bool:
        """Did both read the same forecasts, as far as both can tell?"""
        same = (self.forecasts, self.digest) == (other.forecasts, other.digest)
        return same and (self.exact == other.exact or not (self.exact and other.exact))

    def to_json(self) -> dict[str, Any]:
        exact = {} if self.exact is None else {"sha256_exact": self.exact}
        return {"forecasts": self.forecasts, "sha256": self.digest, **exact, "bytes": self.bytes}
