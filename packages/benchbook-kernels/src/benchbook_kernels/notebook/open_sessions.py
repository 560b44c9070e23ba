"""The language sessions of a notebook: which there are, and those that it has started.

A session's file, sessions/NAME.py, is imported when its language is first used.
"""

from importlib import import_module

from benchbook_kernels.base.nearest import did_you_mean
from benchbook_kernels.install.languages import declared
from benchbook_kernels.notebook.sessions.jupyter import JupyterSession
from benchbook_kernels.notebook.sessions.session import Collected, Session, SessionError

OWN_ENGINE = "benchbook"  # in %engine: our own session


def session_class(name: str) -> type[Session]:
    """The kind of session of a language. Raises SessionError where none is declared."""
    if name not in declared():
        hint = did_you_mean(name, declared())
        raise SessionError(
            f"{name} cells can't run: this version of Benchbook has no {name} session{hint}",
            "its sessions are: " + ", ".join(f"%%{each}" for each in declared()),
        )
    module = import_module(f"benchbook_kernels.notebook.sessions.{name}")
    for each in vars(module).values():
        if isinstance(each, type) and issubclass(each, Session) and "language" in vars(each):
            return each
    raise SessionError(f"{module.__name__} declares {name}, but contains no session of it")


class Sessions:
    """The sessions of one notebook, each made when it is first asked for.

    own: the language of the notebook's plain cells.
    """

    def __init__(self, own: str):
        self.own = own
        self._sessions: dict[str, Session] = {}
        self._records: dict[str, str] = {}  # JSON texts of variables that all sessions have
        self._lacking: dict[str, set[str]] = {}  # those that a running session has not got yet

    def get(self, name: str | None = None) -> Session:
        """The session of a language, the notebook's own by default; a new one is not started yet.

        Raises SessionError where there is none for the language.
        """
        name = self.own if name is None else name
        if name not in self._sessions:
            self._sessions[name] = session_class(name)()
        return self._sessions[name]

    def give(self, name: str, text: str) -> None:
        """Declare a variable with the records of a JSON text in every session: each gets it before
        its next cell, also one that is started later, or anew."""
        self._records[name] = text
        for language in declared():
            self._lacking.setdefault(language, set()).add(name)

    def ready(self, name: str | None = None) -> Session:
        """As get(), for code that is about to run: the session has what give() declared, or gets
        it before that code. Raises SessionError as get() does."""
        session = self.get(name)
        lacking = self._lacking.pop(session.language.name, set())
        for each in sorted(lacking if session.alive else self._records):
            code = session.records_code(each, self._records[each])
            session.submit(code, each, Collected())
        return session

    def choose_engine(self, language: str, kernel: str) -> None:
        """Run a language's cells in the Jupyter kernel of that name; OWN_ENGINE is our own.

        Raises SessionError where there is no such language or kernel; the session stays then.
        """
        before = self.get(language)
        own = session_class(language)()
        after = own if kernel == OWN_ENGINE else JupyterSession(own, kernel)
        after.start()
        self._sessions[language] = after
        self._lacking[language] = set(self._records)
        before.close()

    def versions(self, timeout: float) -> dict[str, str]:
        """The versions of the sessions that have been started, by their titles."""
        found = {each.language.title: each.version(timeout) for each in self._sessions.values()}
        return {title: version for title, version in found.items() if version}

    def close(self) -> None:
        """End all sessions."""
        for each in self._sessions.values():
            each.close()
