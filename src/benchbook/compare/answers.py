"""Do functions that are compared give the same answers? Asked once, before they are timed."""

from collections.abc import Sequence

from benchbook.model.kinds.kind import Kind
from benchbook.model.variants import Variant


def check(kind: Kind, variants: Sequence[Variant], anything: bool = False) -> list[str]:
    """Call every function twice for every case, and compare what it gives with the baseline's.

    kind, variants: as functions.variants and methods.variants give them, after whatever they are
    given besides (versions, environment); anything: other answers are fine (--answers any).
    Returns what a reader should know, as sentences: functions whose answers differ from call to
    call, answers that can't be compared. Raises BenchError where a function fails, or answers
    otherwise than the first variant with the same case.
    """
    raise NotImplementedError
