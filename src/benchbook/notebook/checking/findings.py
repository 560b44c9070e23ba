"""What a check found: where, in which line, what is wrong, and what to do about it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from benchbook_kernels.base.errors import InputError, printable

AT_LINE = re.compile(r" \(at line (\d+), column \d+\)")  # as tomllib says it


@dataclass(frozen=True)
class Problem:
    """Something wrong. where: the file; line: of it, 0 where none is meant; field: or cell."""

    where: str
    field: str
    problem: str
    remedy: str = ""
    line: int = 0

    @classmethod
    def of(cls, error: InputError) -> "Problem":
        """An error of a reader; of a parser's with the line that it names."""
        line = AT_LINE.search(error.problem)
        return cls(
            error.where, error.field, error.problem, error.remedy, int(line[1] if line else 0)
        )

    @property
    def text(self) -> str:
        """file:line: field: what is wrong; the remedy below."""
        place = f"{self.where}:{self.line}" if self.line else self.where
        told = ": ".join(filter(None, [place, self.field, self.problem]))
        return printable(told + (f"\n  → {self.remedy}" if self.remedy else ""))


@dataclass
class Report:
    """What was checked, in words; what is wrong; and what could not be checked here, and why."""

    checked: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, what: str, problems: Iterable[Problem]) -> None:
        """Something was checked. An InputError that it raises is a problem, too."""
        self.checked.append(what)
        try:
            for problem in problems:
                if problem not in self.problems:
                    self.problems.append(problem)
        except InputError as error:
            self.problems.append(Problem.of(error))
