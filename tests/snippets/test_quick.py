"""A quick race has the programs that statements name, and the baseline: one rule for all."""

import pytest

from benchbook.model import experiments

# What else a quick race has, and why.
REASONS = {
    "02-selfhost-vs-hosted": {
        "nginx-close": "exercise 1 compares nginx with and without keep-alive"
    },
    "05-json-vs-templates/node-versions": "all versions: the plot of growth is the answer",
    "09-enum-binding": {
        "dictionary": "the answer to the notebook's question, which is one of ours"
    },
}
# What --more adds beside the points of plots of growth (variants with a `case`), and why.
MORE = {
    "07-serializers/browser": {
        "json-source-generated": "Blazor's own way, which the page shows beside the others",
        "json-in-one-call": "Blazor's own way, which the page shows beside the others",
        "messagepack-formatted": "Blazor's own way, which the page shows beside the others",
    },
    "07-serializers/http": {
        "messagepack-3": "the version of today beside the article's",
        "json-brotli": "what compression costs the server, for the part about the link",
    },
}


@pytest.mark.parametrize("found", experiments.load_all(), ids=lambda e: e.name)
def test_a_quick_race_has_the_programs_that_statements_name(found):
    every = {variant.name for variant in found.variants}
    mode = found.modes["quick"]
    quick = set(mode.variants) or every
    named = {name for s in found.claim.statements for name in s.names} | {found.baseline}
    assert named <= quick, "a statement could not be judged"
    reasons = REASONS.get(found.name, {})
    assert quick - named == (every - named if isinstance(reasons, str) else set(reasons))
    assert not found.modes["full"].variants, "a full race has them all"


@pytest.mark.parametrize("found", experiments.load_all(), ids=lambda e: e.name)
def test_more_are_those_of_plots_of_growth(found):
    mode = found.modes["quick"]
    grown = {variant.name for variant in found.variants if variant.case}
    assert not set(mode.more) & set(mode.variants)
    assert set(mode.more) - grown == set(MORE.get(found.name, {}))
