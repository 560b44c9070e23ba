"""The two kinds of error a user meets: wrong input (exit 2) and work that failed (exit 1)."""

from pathlib import Path


class BenchError(Exception):
    """Work that failed; says what happened and what to do about it."""

    exit_code = 1

    def __init__(self, message: str, remedy: str = ""):
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}\n  → {self.remedy}" if self.remedy else self.message


class InputError(BenchError):
    """A file or an argument that is wrong: names the file, the field and what was expected."""

    exit_code = 2

    def __init__(self, where: str | Path, field: str, problem: str, remedy: str = ""):
        place = f"{where}: {field}" if field else str(where)
        super().__init__(f"{place}: {problem}", remedy)
        self.where = str(where)
        self.problem = problem
        self.field = field
