"""What a comparison found, as Python programs and notebooks hold it: `benchbook.compare`."""

import math
from dataclasses import dataclass
from typing import Any

from benchbook.analysis.judging.judge import Results
from benchbook.analysis.rows import rows
from benchbook.model.runs import Run
from benchbook.show import compare_page
from benchbook.show.cards import compare_cards
from benchbook.show.embed import Figure
from benchbook.show.markup import Output, folded, total
from benchbook_kernels.base.errors import BenchError

PANDAS = "python -m pip install pandas, or r.samples(), which needs none"


@dataclass(frozen=True, repr=False)
class Comparison:
    """What a comparison found: its run, and what that says. It shows itself as its answer."""

    run: Run
    results: Results

    @property
    def verdict(self) -> str:
        """The answer in a sentence, with its interval: of the first that was compared, if there are
        several ("b is 6.1 % faster than a [4.8, 7.4] %: 0.943 times the CPU time a request")."""
        return self.verdicts[0]

    @property
    def verdicts(self) -> tuple[str, ...]:
        """A sentence for each thing but the first, which they are compared with."""
        return tuple(compare_cards.lines(self.results))

    def plot(self) -> Figure:
        """The figure that answers, with intervals; a notebook shows it, `html()` is for a page."""
        return compare_page.plot(self.run, self.results)

    def samples(self) -> list[dict[str, Any]]:
        """Every sample as a row. launch and block: from 0; warm_up: it counts for nothing; seconds:
        its length; count: how many requests, calls or runs; rate: of them a second; speed: what is
        compared; cpu_us: CPU time of each in microseconds, and p50_ms, p99_ms: latencies, None
        where not known."""
        return rows(self.run, self.results.left_out)

    def to_frame(self) -> Any:
        """The samples as a pandas.DataFrame. Raises BenchError where pandas is not installed."""
        try:
            import pandas
        except ImportError:
            raise BenchError("to_frame() needs pandas, which is not installed", PANDAS) from None
        return pandas.DataFrame([nan_for_none(row) for row in self.samples()])

    def __str__(self) -> str:
        return compare_cards.answer(self.run, self.results).text

    def __repr__(self) -> str:
        return f"<Comparison: {self.verdict or self.run.experiment.title}>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return shown(self.run, self.results)._repr_mimebundle_()


def shown(run: Run, results: Results) -> Output:
    """The answer of a comparison for a notebook, with its details folded."""
    details = folded("Details", compare_cards.details(run, results))
    return total([compare_cards.answer(run, results), details])


def nan_for_none(row: dict[str, Any]) -> dict[str, Any]:
    """A row whose unknown numbers are NaN, so that its columns are of numbers."""
    return {name: math.nan if value is None else value for name, value in row.items()}
