"""What may be chosen for a race: one declaration for the command, the magic and Options."""

import math

import pytest

from benchbook.commands import race as race_command
from benchbook.model import experiments
from benchbook.race import options, prepare
from benchbook.race.options import OPTIONS, Options
from benchbook.system.errors import InputError


@pytest.mark.parametrize(
    "wrong",
    [
        {"launches": 0},
        {"launches": -2},
        {"blocks": 0},
        {"connections": 0},
        {"seed": -1},
        {"warmup": -0.1},
        {"seconds": 0.0},
        {"tool": "siege"},
        {"launches": 1, "until": 0.01},
        {"mode": "slow"},
        {"warmup": math.nan},
        {"seconds": math.inf},
        {"minutes": math.inf, "until": 0.01},
    ],
)
def test_options_that_make_no_sense_are_refused_before_anything_runs(two_servers, wrong):
    with pytest.raises(InputError, match="--"):
        prepare.prepare(experiments.load(two_servers), Options(**wrong))


@pytest.mark.parametrize("option", [o for o in OPTIONS if o.convert], ids=lambda o: o.name)
def test_a_word_that_means_nothing_is_refused_with_the_options_name(option):
    if option.convert in (int, float) or option.name in ("tool", "until"):
        with pytest.raises(InputError, match=f"^{option.flag}: "):
            option.parse("soon")


def test_the_command_has_every_option():
    flags = {flag for parameter in race_command.command.params for flag in parameter.opts}
    assert {option.flag for option in OPTIONS} <= flags


def test_what_is_given_becomes_the_fields_of_a_race():
    asked = options.request(
        {"full": True, "quick": False, "seed": 0, "no_pin": True, "one_after_another": True}
        | {"until": 0.01, "blocks": None, "variants": ()}
    )
    fields = {"mode": "full", "seed": 0, "pin": False, "interleaved": False, "until": 0.01}
    assert asked.fields == fields and Options(**asked.fields).mode == "full"
    assert not asked.as_published


@pytest.mark.parametrize(("word", "share"), [("1%", 0.01), ("0.5 %", 0.005), (".02", 0.02)])
def test_a_width_is_a_share_or_a_percentage(word, share):
    assert options.share(word) == pytest.approx(share)


def test_only_shorten_goes_with_as_published():
    assert options.request({"as_published": True, "shorten": 3}).shorten == 3
    with pytest.raises(InputError, match="--full: changes the article's method"):
        options.request({"as_published": True, "full": True})
    with pytest.raises(InputError, match="--shorten: needs --as-published"):
        options.request({"shorten": 3})
