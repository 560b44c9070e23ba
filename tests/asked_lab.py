"""A folder of a user's, outside of any checkout, in which a comparison is asked for."""

import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchbook.compare import asking, question, service
from benchbook.model import results
from calling import call

SHORT = {"BENCHBOOK_RACE": "launches=2 blocks=2 seconds=0.05 warmup=0.3"}
COMMAND = [sys.executable, "-c", "from benchbook.commands.cli import main; main()", "compare"]
# work(n) takes time in proportion to n, and gives the same whatever n is
WORK = "export default () => { let x = 0; for (let i = 0; i < %d; i++) x ^= i; return x * 0; };\n"
FAST, SLOW = WORK % 5_000, WORK % 20_000


@dataclass
class Asked:
    """A user's folder. said: what was told while a question was made of the things."""

    folder: Path
    said: list[str] = field(default_factory=list)

    def write(self, files):
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    @contextmanager
    def question(self, *things, **keywords):
        """The question about things, as long as what they are given is there."""
        wanted = asking.request_by_keywords(things, folder=self.folder, **keywords)
        with service.asked(wanted, self) as asked:
            yield asked[0]

    def variants(self, *things, **keywords):
        with self.question(*things, **keywords) as found:
            return found.variants

    def names(self, *things, **keywords):
        return [variant.name for variant in self.variants(*things, **keywords)]

    def say(self, text):
        self.said.append(text)

    def wait(self, text):
        pass

    def command(self, *words, **env):
        """The command, as it is typed here."""
        file = self.folder.parent / "run.json"
        return call("compare", "--json", file, *words, folder=self.folder, **{**SHORT, **env})

    def ratio(self, *words, **env):
        """How fast the second is, as a share of the first, by the command."""
        done = self.command(*words, **env)
        assert done.code == 0, done.err
        run = results.load(self.folder.parent / "run.json")
        self.entries = [entry.name for entry in run.entries if "#" not in entry.name]
        assert {entry.status for entry in run.entries} == {"raced"}
        [judgement] = question.judged(run).judgements
        return judgement.tests[0].interval.ratio
