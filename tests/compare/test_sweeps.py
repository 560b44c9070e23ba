"""Parameters of commands: what is replaced by what, in which order, and what makes no sense."""

import pytest

from benchbook.compare import commands, parameters
from benchbook.compare.commands import CommandOptions
from benchbook_kernels.base.errors import InputError


def lines(typed, **options):
    """The commands that are made of those that were typed."""
    return [each.line for each in commands.typed(typed, CommandOptions(**options))]


def test_the_first_list_changes_fastest_and_commands_before_it():
    lists = (("x", "a,b"), ("y", "1,2"))
    assert lines(["f {x} {y}", "g {y}"], parameter_lists=lists) == [
        *("f a 1", "g 1", "f b 1", "g 1"),
        *("f a 2", "g 2", "f b 2", "g 2"),
    ]


def test_what_a_value_holds_is_not_replaced_again():
    lists = (("foo", r"{bar} baz,a\,b"), ("bar", r"q\\x,r"))
    assert lines(["echo {foo} {bar} {other}"], parameter_lists=lists)[:2] == [
        "echo {bar} baz q\\x {other}",
        "echo a,b q\\x {other}",
    ]


@pytest.mark.parametrize(
    "given, step, expected",
    [
        (("n", "1", "3"), None, ["1", "2", "3"]),
        (("n", "0", "10"), "4", ["0", "4", "8"]),
        (("n", "-1", "1"), None, ["-1", "0", "1"]),
        (("n", "0.3", "0.7"), "0.2", ["0.3", "0.5", "0.7"]),
        (("n", "0", "1"), "0.33", ["0", "0.33", "0.66", "0.99"]),
        (("n", "100", "300"), "1e2", ["100", "200", "300"]),
    ],
)
def test_a_scan_goes_to_the_largest_in_steps_without_rounding(given, step, expected):
    options = {"parameter_scan": given, "parameter_step_size": step}
    assert lines(["{n}"], **options) == expected


@pytest.mark.parametrize(
    "options, message",
    [
        ({"parameter_scan": ("n", "3", "1")}, "1 is less than 3"),
        ({"parameter_scan": ("n", "1", "3"), "parameter_step_size": "0"}, "is 0, so it would"),
        ({"parameter_scan": ("n", "1", "3"), "parameter_step_size": "-1"}, "is -1"),
        ({"parameter_scan": ("n", "0.5", "3")}, "a step is needed"),
        ({"parameter_scan": ("n", "one", "3")}, "'one' is not a number"),
        ({"parameter_scan": ("n", "0", "inf"), "parameter_step_size": "1"}, "not a number"),
        ({"parameter_scan": ("n", "0", "1000000")}, "more than 200 values"),
        ({"parameter_scan": ("m", "1", "2")}, "parameter: m: stands in no command"),
        ({"parameter_scan": ("", "1", "2")}, "no name of a parameter"),
        ({"parameter_step_size": "1"}, "needs --parameter-scan"),
        ({"parameter_lists": (("n", "1"), ("n", "2"))}, "is given twice"),
        ({"parameter_lists": (("n", "1"),), "parameter_scan": ("n", "1", "2")}, "goes against"),
        ({"parameter_lists": (("n", "1,2,3"),), "names": ("a", "b")}, "there are 3 commands"),
        ({"names": ("a", "b")}, "there are only 1 commands"),
        ({"reference_name": "old"}, "needs --reference"),
        ({"reference": " "}, "is empty"),
    ],
)
def test_what_makes_no_sense_is_said(options, message):
    with pytest.raises(InputError, match=message):
        lines(["sleep {n}"], **options)


def test_an_empty_command_is_refused():
    with pytest.raises(InputError, match="is empty"):
        lines(["sleep 1", ""])


def test_a_parameter_may_stand_only_in_what_is_run_around_a_command():
    assert lines(["./run"], parameter_lists=(("cc", "gcc,clang"),), setup="make CC={cc}")


def test_names_take_parameters_and_titles_are_what_was_typed():
    options = CommandOptions(parameter_lists=(("n", "1,2"),), names=("nap of {n}",))
    found = commands.variants(["sleep {n}"], options)
    assert [v.name for v in found] == ["nap of 1", "nap of 2"]
    assert [v.words for v in found] == [("sh", "-c", "sleep 1"), ("sh", "-c", "sleep 2")]
    assert [(v.series, v.case) for v in found] == [("nap of {n}", "n=1"), ("nap of {n}", "n=2")]
    assert [dict(v.parameters) for v in found] == [{"n": "1"}, {"n": "2"}]


def test_a_list_that_ends_in_a_backslash_keeps_it():
    assert parameters.tokens("a\\") == ["a\\"] and parameters.tokens("") == [""]
