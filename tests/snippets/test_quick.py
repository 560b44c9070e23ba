"""A quick race has the programs that statements name, and the baseline: one rule for all."""

import pytest

from benchbook.model import experiments

# What else a quick race has, and why; beside those of a plot of growth (variants with a `case`).
REASONS = {
    "02-selfhost-vs-hosted": {
        "nginx-close": "exercise 1 compares nginx with and without keep-alive"
    },
    "07-serializers/browser": {
        "json-source-generated": "Blazor's own way, which the page shows beside the others",
        "json-in-one-call": "Blazor's own way, which the page shows beside the others",
        "messagepack-formatted": "Blazor's own way, which the page shows beside the others",
    },
    "07-serializers/http": {
        "messagepack-3": "the version of today beside the article's",
        "json-brotli": "what compression costs the server, for the part about the link",
    },
    "09-enum-binding": {
        "dictionary": "the answer to the notebook's question, which is one of ours"
    },
}


@pytest.mark.parametrize("found", experiments.load_all(), ids=lambda e: e.name)
def test_a_quick_race_has_the_programs_that_statements_name(found):
    every = [variant.name for variant in found.variants]
    quick = set(found.modes["quick"].variants or every)
    named = {name for s in found.claim.statements for name in s.names} | {found.baseline}
    assert named <= quick, "a statement could not be judged"
    grown = {variant.name for variant in found.variants if variant.case}
    assert quick - named - grown == set(REASONS.get(found.name, {}))
    assert not found.modes["full"].variants, "a full race has them all"
