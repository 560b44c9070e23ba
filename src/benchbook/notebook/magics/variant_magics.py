"""%variant: programs that are there, as what differs from the baseline; --edit makes a cell of one.

`%%variant`, with a program below it, is in experiment_magics.py.
"""

from collections.abc import Callable
from typing import Any

import click

from benchbook.model.variants import Variant
from benchbook.notebook.magics.experiment_offers import variants
from benchbook.notebook.workbench import Workbench
from benchbook.programs import readiness
from benchbook.show import markup
from benchbook.show.cards import program_cards
from benchbook.show.markup import Output
from benchbook_kernels.base.errors import InputError
from benchbook_kernels.notebook.offers import offers
from benchbook_kernels.notebook.typed import Magics, line_magic, magics_class, options_of, parsed


@magics_class
class VariantMagics(Magics):
    """bench: the workbench of the experiment that %experiment chose."""

    def __init__(self, shell: Any, bench: Callable[[], Workbench]) -> None:
        super().__init__(shell)
        self.bench = bench

    @options_of(
        click.Argument(["names"], nargs=-1, required=True, metavar="NAME …"),
        click.Option(["--to"], metavar="OTHER", help="Compare with this one, not the baseline."),
        click.Option(["--edit"], is_flag=True, help="Put the whole program into this cell."),
    )
    @line_magic
    @offers(lambda asked: [each for each in variants(asked) if each not in asked.words])
    def variant(self, line: str) -> Output:
        """Show programs: each as what differs from the baseline, the whole of it folded below.

        The baseline itself, and a program that has little in common with it, are shown whole. With
        --edit the cell becomes `%%variant NAME` with the whole program: edit it, run it, and the
        next %race takes the edit. A program that you have edited is shown as you have left it.
        """
        given = parsed(self.variant, line)
        bench = self.bench()
        experiment = bench.raced_experiment
        found = [experiment.variant(name) for name in given["names"]]
        if given["edit"]:
            return self.as_cell(bench, found)
        other = experiment.variant(given["to"] or experiment.baseline)
        shown = [program_cards.program(each, other, environment(each)) for each in found]
        if not experiment.in_place:
            name = found[0].name if len(found) == 1 else "NAME"
            shown.append(markup.note(f"To change it: %variant {name} --edit"))
        return markup.total(shown)

    def as_cell(self, bench: Workbench, found: list[Variant]) -> Output:
        """Have the front end put a program into the cell. Raises InputError for several, and for
        programs of the reader's own."""
        if len(found) > 1:
            raise InputError("%variant", "--edit", "is for one program", "name one of them")
        (variant,) = found
        if bench.experiment.in_place:
            raise InputError("%variant", "--edit", f"{variant.name} stands in a cell of yours")
        cell = f"%%variant {variant.name}\n{variant.code.rstrip()}"
        self.shell.set_next_input(cell, replace=True)
        said = "The program stands in this cell now: edit it, and run the cell."
        here = markup.folded("Where it does not, copy it from here", markup.note(cell))
        by_hand = (bench.by_hand(variant), readiness.remark(variant))
        told = "\n".join(filter(None, [said, *by_hand]))
        return Output(told, markup.note(told).html + here.html)


def environment(variant: Variant) -> str:
    """What a variant is given besides its file, as "SIZE=17"."""
    return " ".join(f"{name}={value}" for name, value in variant.env.items())
