"""Carries values between the sessions, Python and the page, as JSON."""

import json
import math
from typing import Any

from benchbook_kernels.notebook.interactive.arguments import Transfer
from benchbook_kernels.notebook.interactive.directives import DirectiveError
from benchbook_kernels.notebook.open_sessions import Sessions
from benchbook_kernels.notebook.sessions.session import SHARED_TYPE, Collected


class Values:
    """The values that `#!` lines carry. python: the variables of IPython.

    texts: of `#!value`, by name; page: JSON texts, for scripts that run in the page.
    """

    def __init__(self, sessions: Sessions, python: dict[str, Any]):
        self.sessions = sessions
        self.python = python
        self.texts: dict[str, str] = {}
        self.page: dict[str, str] = {}

    def get(self, language: str, name: str) -> str:
        """A variable as JSON text. Raises DirectiveError where there is none."""
        if language in ("value", "python"):
            known = self.texts if language == "value" else self.python
            if name not in known:
                raise DirectiveError(f"{language} has no variable '{name}'")
            try:
                return json.dumps(finite(_plain(known[name])))
            except (TypeError, ValueError) as error:
                raise DirectiveError(f"'{name}' can't be shared: {error}") from None
        text = self._run(language, self.sessions.get(language).export_code(name))
        try:
            json.loads(text)
        except ValueError:
            raise DirectiveError(f"{language} gave no JSON for '{name}': {text[:200]}") from None
        return text

    def put(self, language: str, name: str, text: str) -> None:
        """Declare a variable with the value of a JSON text. Raises DirectiveError."""
        if language == "python":
            self.python[name] = json.loads(text)
        elif language == "value":
            self.texts[name] = json.loads(text)
        elif language == "javascript":  # which runs in Node.js or in the page
            self.page[name] = text
            self.put("node", name, text)
        else:
            self._run(language, self.sessions.get(language).import_code(name, text))

    def give(self, name: str, rows: list[dict[str, Any]]) -> None:
        """Declare a variable with rows of one shape in Python and in every language's session.

        In Python it is a DataFrame where pandas is there, else the list itself; in C# a List of
        typed records (csharp_records.py), in JavaScript an array of objects.
        """
        self.python[name] = framed(rows)
        self.sessions.give(name, json.dumps(finite(rows)))

    def carry(self, transfer: Transfer, into: str) -> None:
        """Declare a variable with the value of another language's. Raises DirectiveError."""
        self.put(into, transfer.alias, self.get(transfer.source, transfer.name))

    def _run(self, language: str, code: str) -> str:
        """The JSON that code gives or prints in a session. Raises DirectiveError where it fails."""
        printed = Collected()
        result = self.sessions.ready(language).submit(code, "#!share", printed).result()
        if result.status != "ok":
            raise DirectiveError(f"{language}: {result.evalue}")
        return (result.data or {}).get(SHARED_TYPE, printed.text)


def framed(rows: list[dict[str, Any]]) -> Any:
    """Rows as pandas' table, unknown numbers as NaN; where there is no pandas, as they are."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(
        [{key: math.nan if value is None else value for key, value in row.items()} for row in rows]
    )


def finite(value: Any) -> Any:
    """A value for JSON, with null for NaN and infinities, as JavaScript has it."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value


def _plain(value: Any) -> Any:
    """Arrays of numpy and tables of pandas as JSON can hold them."""
    if hasattr(value, "to_dict") and hasattr(value, "columns"):
        return value.to_dict("records")
    return value.tolist() if hasattr(value, "tolist") else value
