"""How programs are run by hand."""

from benchbook.model import experiments
from benchbook.programs import runners


def test_every_variant_can_be_run_by_hand():
    for experiment in experiments.load_all():
        for variant in experiment.variants:
            line = runners.find(variant.path).by_hand(variant)
            assert f"snippets/{experiment.home.name}/" in line, variant.name
