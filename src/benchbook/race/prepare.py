"""From an experiment to a race that is ready to run: checks the options, then asks its kind."""

from benchbook.model.experiments import Experiment
from benchbook.model.variants import Variant
from benchbook.programs import readiness
from benchbook.race.job import Job, choose
from benchbook.race.kinds import registry as kinds
from benchbook.race.options import OPTIONS, Options
from benchbook.race.race import Race
from benchbook_kernels.base.errors import InputError


def prepare(
    experiment: Experiment, options: Options = Options(), say: readiness.Say = lambda text: None
) -> Race:
    """Build and check what can be raced, draw the plan, and return a race that is ready to run.

    say: told what is being built, in words for the reader.
    Raises InputError for options that make no sense, BenchError where the baseline or the load
    generator is not available.
    """
    return kinds.of(experiment).prepare(Job(experiment, chosen(experiment, options), options, say))


def chosen(experiment: Experiment, options: Options) -> list[Variant]:
    """What is to be raced. Raises InputError for options that make no sense."""
    check_options(experiment, options)
    mode = experiment.modes[options.mode]
    usual = mode.variants + (mode.more if options.more else ())
    return choose(experiment, options.variants or usual)


def check_options(experiment: Experiment, options: Options) -> None:
    """Raises InputError for an option that makes no sense, or not with this experiment."""
    if options.mode not in experiment.modes:
        known = ", ".join(experiment.modes)
        raise InputError("--mode", "", f"no mode '{options.mode}' (there are: {known})")
    for option in OPTIONS:
        value = getattr(options, option.field, None)
        if value is None or value == getattr(Options, option.field):
            continue
        if isinstance(value, int | float | str) and not option.is_flag:
            option.read(value)
        if option.of_load and not experiment.kind.under_load:
            problem = "is for experiments that put servers under load"
            raise InputError(option.flag, "", problem, "leave it out")
    if options.more and (options.variants or not any(m.more for m in experiment.modes.values())):
        why = "--variants names them" if options.variants else "every race has all"
        raise InputError("--more", "", f"adds nothing: {why}", "leave it out")
    if options.until and options.launches == 1:
        problem = "can't be reached with one launch: how launches differ would not be known"
        raise InputError("--until", "", problem, "leave --launches out")
