"""What was computed from a run, as its file has it under `results`.

analysis/judging/judgement_json.py makes it; nothing reads it but people, and checks.
"""

from typing import Annotated, NotRequired, TypedDict

from benchbook.model.schemas import About

VERDICTS = (
    *("reproduced", "opposite", "outside the range"),
    *("no difference", "too close to call", "not valid"),
)
SIZES = (
    *("", "as published", "smaller than published", "larger than published"),
    "ruled out at the published size",
)


class SavedInterval(TypedDict):
    """A ratio with its confidence interval, as factors; null for what is not known."""

    ratio: float
    low: Annotated[float, About(type=["number", "null"])]
    high: Annotated[float, About(type=["number", "null"])]
    level: float
    p: float
    launches: int
    within_one_launch: bool
    error: Annotated[
        float,
        About("standard error of the ratio's logarithm", younger=True, type=["number", "null"]),
    ]
    freedom: Annotated[
        float, About("its degrees of freedom", younger=True, type=["number", "null"])
    ]


class SavedTest(SavedInterval):
    """A test of a statement, of entry a against entry b."""

    a: str
    b: str
    p_adjusted: float


class SavedVerdict(TypedDict):
    """What a run says of a statement of the claim."""

    id: str
    says: str
    type: Annotated[str, About(enum=["faster", "same", "order", "ratio"])]
    verdict: Annotated[str, About(enum=list(VERDICTS))]
    why: str
    published: float | None
    published_inside: NotRequired[
        Annotated[
            bool | None,
            About("in older files: does the interval hold the published size?", younger=True),
        ]
    ]
    size: Annotated[
        str,
        About("the published size against the measured one", younger=True, enum=list(SIZES)),
    ]
    delta: Annotated[float, About("the smallest effect that matters, as a share", younger=True)]
    seconds_more: Annotated[
        float | None,
        About("how much longer a race that is too close to call would have to be", younger=True),
    ]
    tests: list[SavedTest]
    tau: Annotated[
        list[float | None] | None, About("Kendall's tau with its interval: tau, low, high")
    ]


Ratio = Annotated[SavedInterval, About("a ratio with its confidence interval, as factors")]


class SavedResults(TypedDict):
    """Speeds, ratios and verdicts of a run."""

    method: str
    control: Annotated[
        SavedInterval | None,
        About("ratio of the A/A copy to the baseline", younger=True, formerly="floor"),
    ]
    medians: Annotated[dict[str, float], About("median requests/s by entry")]
    ratios: Annotated[dict[str, Ratio], About("ratio to the baseline by entry")]
    verdicts: list[SavedVerdict]
    remarks: Annotated[list[str], About("drift, outliers, disagreement")]
    shares: Annotated[
        dict[str, float],
        About(
            "of entries that were loaded together: their share of the CPU, as a factor of an equal "
            "share",
            younger=True,
        ),
    ]
    left_out: Annotated[
        list[Annotated[int, About(minimum=0)]],
        About("blocks at the start of each launch that were still warm-up", younger=True),
    ]
