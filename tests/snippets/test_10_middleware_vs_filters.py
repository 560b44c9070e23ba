"""Experiment 10: all variants answer alike, and middleware and filters run as the notebook says."""

import pytest

from benchbook.load import registry
from benchbook.model import experiments
from benchbook.model.variants import Variant
from benchbook.programs import parity, programs, readiness
from benchbook.race.kinds.http import executor
from benchbook.system.pinning import Pinning
from benchbook_kernels.base.processes import Keeper

pytestmark = pytest.mark.slow("builds and starts every variant")

EXPERIMENT = experiments.find("10")


@pytest.fixture(scope="module")
def keeper():
    with Keeper() as kept:
        yield kept


def make_ready(variants):
    reasons = readiness.make_ready(variants, lambda text: None)
    assert not any(reasons.values()), reasons


def test_all_variants_run_and_answer_alike(keeper):
    make_ready(EXPERIMENT.variants)
    variants = {v.name: v for v in EXPERIMENT.variants}
    free = Pinning(None, None, "for a test")
    made = executor.HttpExecutor(EXPERIMENT, variants, registry.choose(), free, 2, keeper=keeper)
    try:
        assert made.launch(list(variants)) == {}
        assert made.answers["mvc-20"].body == b'{"hello":"world"}'
    finally:
        made.end()


def test_each_kind_is_raced_with_0_1_5_and_20_of_them():
    counts = {}
    for variant in EXPERIMENT.variants:
        counts.setdefault(variant.path.name, []).append(variant.env["COUNT"])
    assert list(counts) == ["middleware.cs", "endpoint-filters.cs", "mvc-filters.cs"]
    assert all(found == ["0", "1", "5", "20"] for found in counts.values())


@pytest.fixture(scope="module")
def ran(keeper):
    """ran("middleware", "skip=b") -> what ran, in its order."""
    started = {}

    def ask(kind: str, query: str = "") -> list[str]:
        path = "/" if kind == "middleware" else "/7"
        if kind not in started:
            variant = Variant(kind, kind, EXPERIMENT.folder / f"order-{kind}.cs")
            make_ready([variant])
            started[kind] = programs.start(variant, keeper)
            programs.await_ready(started[kind], path)
        answer = parity.ask(started[kind], f"{path}?{query}")
        assert answer.status == 200
        return answer.body.decode().replace(" (id 7)", "").splitlines()

    yield ask
    programs.end_all(list(started.values()), keeper)


def around(*names):
    """All begin, the handler runs, and they end in reverse."""
    begin = [f"{name} begins" for name in (*names, "handler")]
    return [*begin, *(f"{name} ends" for name in reversed(names))]


def test_middleware_runs_as_added_and_ends_in_reverse(ran):
    assert ran("middleware") == around("a", "b", "c")


def test_middleware_that_does_not_call_next_skips_what_is_within(ran):
    assert ran("middleware", "skip=b") == ["a begins", "b begins", "a ends"]


def test_an_exception_passes_the_middleware_by_unless_one_catches_it(ran):
    begun = ["a begins", "b begins", "c begins", "handler begins"]
    thrown = "catches what was thrown by handler"
    assert ran("middleware", "throw=handler") == [*begun, f"outside: {thrown}"]
    assert ran("middleware", "throw=handler&catch=b") == [*begun, f"b {thrown}", "a ends"]
    caught = ["a begins", "b begins", "a catches what was thrown by b"]
    assert ran("middleware", "throw=b&catch=a") == caught


def test_filters_of_a_group_run_before_an_endpoints_own_whenever_added(ran):
    assert ran("endpoint-filters") == around("group", "a", "b")


def test_endpoint_filters_skip_and_catch_as_middleware_does(ran):
    assert ran("endpoint-filters", "skip=a") == ["group begins", "a begins", "group ends"]
    begun = ["group begins", "a begins", "b begins"]
    thrown = "catches what was thrown by b"
    assert ran("endpoint-filters", "throw=b") == [*begun, f"outside: {thrown}"]
    assert ran("endpoint-filters", "throw=b&catch=a") == [*begun, f"a {thrown}", "group ends"]


MVC = ("first", "global", "controller", "action", "last")


def test_mvc_filters_run_by_order_then_by_scope_but_authorization_before_all(ran):
    """The authorization filter's Order is int.MaxValue, that of `first` is -int.MaxValue."""
    assert ran("mvc-filters") == ["authorization", *around(*MVC)]


def test_an_mvc_filter_that_sets_a_result_skips_what_is_within_and_its_own_end(ran):
    told = "told that the action was skipped"
    assert ran("mvc-filters", "skip=global") == [
        "authorization",
        "first begins",
        "global begins",
        f"first ends, {told}",
    ]


def test_an_exception_in_executing_does_not_reach_the_same_filters_executed_but_the_outer_ones(ran):
    assert ran("mvc-filters", "throw=action") == [
        "authorization",
        "first begins",
        "global begins",
        "controller begins",
        "action begins",
        "controller ends, told of what was thrown by action",
        "global ends, told of what was thrown by action",
        "first ends, told of what was thrown by action",
        "outside: catches what was thrown by action",
    ]


def test_mvc_filters_are_told_of_the_handlers_exception_until_one_handles_it(ran):
    begun = ["authorization", *(f"{name} begins" for name in (*MVC, "handler"))]
    assert ran("mvc-filters", "throw=handler&catch=controller") == [
        *begun,
        "last ends, told of what was thrown by handler",
        "action ends, told of what was thrown by handler",
        "controller ends, catches what was thrown by handler",
        "global ends",
        "first ends",
    ]


@pytest.mark.parametrize("kind", ["endpoint-filters", "mvc-filters"])
def test_filters_know_the_arguments(keeper, kind):
    variant = Variant(kind, kind, EXPERIMENT.folder / f"order-{kind}.cs")
    make_ready([variant])
    program = programs.start(variant, keeper)
    try:
        programs.await_ready(program, "/8")
        lines = parity.ask(program, "/8").body.decode().splitlines()
        assert all("(id 8)" in line for line in lines if " begins" in line)
    finally:
        program.end(keeper)
