"""What may be chosen for a race: one declaration for the command, the magic and Options."""

import math

import pytest

from benchbook.commands.measure import race as race_command
from benchbook.model import experiments
from benchbook.notebook.magics.benchmark_magics import BenchmarkMagics
from benchbook.notebook.magics.race_magics import RaceMagics
from benchbook.race import options, prepare
from benchbook.race.options import OPTIONS, Options
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.notebook.typed import parsed


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


TAKES_ANY_WORD = {"--variants", "--load-from", "--listen"}


@pytest.mark.parametrize(
    "option",
    [o for o in OPTIONS if not o.is_flag and o.flag not in TAKES_ANY_WORD],
    ids=lambda o: o.name,
)
def test_a_word_that_means_nothing_is_refused_with_the_options_name(option):
    with pytest.raises(InputError, match=f"^{option.flag}: "):
        option.read("soon")


@pytest.mark.parametrize(
    ("flag", "word", "told"),
    [
        ("--connections", "0", "--connections: is 0\n  → at least 1"),
        ("--connections", "60001", "--connections: is 60001\n  → at most 60000"),
        ("--connections", "9" * 400, "--connections: is inf\n  → at most 60000"),
        ("--launches", "1.5", "--launches: can't read '1.5'\n  → a whole number"),
        ("--seconds", "0", "--seconds: is 0\n  → more than 0"),
        ("--seconds", "soon", "--seconds: can't read 'soon'\n  → a number"),
        ("--warmup", "nan", "--warmup: is nan\n  → a number"),
        ("--warmup", "-1", "--warmup: is -1\n  → at least 0"),
        ("--tool", "wkr", "--tool: no load generator 'wkr'"),
        ("--variants", ",", "--variants: ',' names no variant: leave --variants out to race all"),
        ("--until", "2", "--until: '2' is 200 %, and must be below 100 %: write 1% or 0.01"),
        ("--until", "100%", "--until: '100%' is 100 %, and must be below 100 %: write 1%"),
        ("--until", "wide", "--until: 'wide' is not a width: write 1% or 0.01"),
    ],
)
def test_the_command_and_the_magic_refuse_a_word_alike(flag, word, told):
    with pytest.raises(InputError) as caught:
        race_command.command.make_context("race", ["04", flag, word])
    assert str(caught.value).startswith(told)
    with pytest.raises(InputError) as by_magic:
        parsed(RaceMagics.race, f"--quick {flag} {word}")
    assert str(by_magic.value) == str(caught.value)


def test_the_command_and_the_magic_have_every_option():
    for command in (race_command.command, RaceMagics.race.command):
        assert set(OPTIONS) <= set(command.params)
    assert all(option.help in " ".join(RaceMagics.race.__doc__.split()) for option in OPTIONS)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("--launches", "%race: option '--launches' requires an argument\n  → %race? shows"),
        ("--quick=1", "%race: option '--quick' does not take a value\n  → %race? shows"),
        ("--lauches 2", "%race: no option '--lauches'; did you mean '--launches'?"),
        ("quickly", "%race: takes only options, but is given 'quickly'"),
        ("--tool 'wrk", "%race: can't read '--tool 'wrk': No closing quotation"),
    ],
)
def test_a_line_that_can_not_be_read_says_why(line, told):
    with pytest.raises(InputError) as caught:
        parsed(RaceMagics.race, line)
    assert str(caught.value).startswith(told)


def test_a_number_of_another_magic_is_refused_with_the_options_name():
    with pytest.raises(InputError, match="^%benchmark: .*'--launches': 'soon' is not"):
        parsed(BenchmarkMagics.benchmark, "--launches soon")


def test_a_line_of_the_magic_is_read_as_the_commands():
    given = parsed(RaceMagics.race, "--full --variants a, b --until 1% --seed 3")
    assert given["variants"] == ("a", "b") and given["last"] is False
    assert options.request(given).fields == {
        "mode": "full",
        "variants": ("a", "b"),
        "until": 0.01,
        "seed": 3,
    }


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
