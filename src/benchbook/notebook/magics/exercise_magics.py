"""The magics of a reader's own work: is an exercise done, and how good were the guesses?"""

from collections.abc import Iterable
from typing import Any

from benchbook.model import experiments
from benchbook.notebook import exercises, predictions
from benchbook.notebook.magics.experiment_offers import experiment_names, experiment_of
from benchbook.show import markup
from benchbook.show.markup import Output
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.notebook.offers import Asked, first, offers
from benchbook_kernels.notebook.typed import Magics, line_magic, magics_class


@magics_class
class ExerciseMagics(Magics):
    """They look at what the magics of experiments and of benchmarks hold."""

    def other(self, name: str) -> Any:
        """The magics of that class, as IPython has registered them."""
        return self.shell.magics_manager.registry[name]

    @line_magic
    @offers(first(lambda asked: exercise_names(asked)))
    def check(self, line: str) -> Output:
        """Is an exercise of the chosen experiment done? Says what is missing, not the solution.

        Usage: %check 1
               %check            (all exercises)
        """
        chosen = self.other("ExperimentMagics").bench
        last = self.other("BenchmarkMagics").last
        run, code = (last.run, last.code) if last else (None, "")
        seen = exercises.view(chosen, self.variable, run, code)
        word = line.strip()
        if word and not word.isdigit():
            raise InputError("%check", "", f"'{word}' is no exercise's number", "write %check 1")
        numbers = [int(word)] if word else list(exercises.load(chosen.experiment))
        return markup.total([exercises.card(n, exercises.missing(n, seen)) for n in numbers])

    def variable(self, name: str) -> str:
        """A variable of the notebook's own session as JSON. Raises BenchError."""
        kernel = self.shell.kernel
        return str(kernel.values.get(kernel.language, name))

    @line_magic
    @offers(first(experiment_names))
    def score(self, line: str) -> Output:
        """How good your guesses were: did they lie in the interval, was the direction right?

        Usage: %score        (all experiments)
               %score 04     (guess by guess)
        """
        chosen = self.other("ExperimentMagics").chosen
        problem = chosen.keep() if chosen else ""
        which = experiments.find(line.strip()).name if line.strip() else ""
        shown = predictions.score(which)
        return markup.total([shown, markup.note(problem)]) if problem else shown


def exercise_names(asked: Asked) -> Iterable[str]:
    """What may stand after %check: the exercises of the experiment that is chosen."""
    experiment = experiment_of(asked)
    return map(str, exercises.load(experiment)) if experiment else ()
