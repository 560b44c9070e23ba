"""One launch: copies of programs under a profiler, and copies without one beside them."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from benchbook.model.profiles.comparison import ProfiledLaunch, Spent
from benchbook.model.profiles.profile import Profile
from benchbook.model.variants import Variant
from benchbook.profiling.profiler import ProfiledStart, Profiler, ProfilerError
from benchbook.programs.programs import Command, VariantError
from benchbook.race.kinds.copies import Copies, CopyCost

MARK = " (profiled)"  # behind the name of a copy
LEAD_SECONDS = 0.5  # from the moment that a window is asked for: V8 looks at all its code first
TAIL_SECONDS = 0.1


@dataclass
class Pairs:
    """Each program once with a profiler and once without, by its name.

    copies: of both; folder: for what profilers write, a folder for each copy, made when it starts.
    """

    copies: Copies
    variants: Mapping[str, Variant]
    profilers: Mapping[str, Profiler]
    folder: Path
    seconds: float
    interval_us: float
    folders: dict[str, Path] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Of all copies, those without a profiler first."""
        return [*self.variants, *(name + MARK for name in self.variants)]

    def begin(self) -> None:
        """Have these copies started from now on, and no others."""
        marked = {name + MARK: replace(v, name=name + MARK) for name, v in self.variants.items()}
        start = {name + MARK: partial(self.prepared, name) for name in self.variants}
        self.copies.replace({**self.variants, **marked}, start)

    def prepared(self, name: str, command: Command) -> Command:
        """How a profiled copy is started."""
        self.folders[name] = self.folder / f"{len(list(self.folder.iterdir()))}"
        self.folders[name].mkdir()
        start = ProfiledStart(tuple(command.words), command.env)
        made = self.profilers[name].prepare(start, self.folders[name], self.interval_us)
        return replace(command, words=list(made.words), env=dict(made.env))

    def window(self, names: Sequence[str]) -> ProfiledLaunch:
        """What all copies did in one window. Raises VariantError."""
        looks = {name: partial(self.collect, name) for name in self.variants}
        spent, futures = self.copies.looked_at(names, LEAD_SECONDS, self.seconds, looks)
        return ProfiledLaunch(
            self.profiles(futures),
            {name: self.spent(name, spent[name + MARK]) for name in self.variants},
            {name: self.spent(name, spent[name]) for name in self.variants},
        )

    def spent(self, name: str, cost: CopyCost) -> Spent:
        """What a copy spent in the threads that its profiler looks at, and in others."""
        part = cost.main if self.profilers[name].main_thread_only else 1.0
        return Spent(cost.requests, cost.cpu_us * part, cost.cpu_us * (1 - part))

    def collect(self, name: str, recorded: Callable[[], None]) -> Profile:
        """On a thread of its own. Raises ProfilerError."""
        seconds = LEAD_SECONDS + self.seconds + TAIL_SECONDS
        pid = self.copies.pid(name + MARK)
        profiler, helpers = self.profilers[name], self.copies.helpers
        found = profiler.collect(pid, seconds, self.folders[name], helpers, recorded)
        return profiler.of_calls(found) if self.copies.calls else found

    def profiles(self, futures: Mapping[str, Future[Profile]]) -> dict[str, Profile]:
        """What came of it. Raises VariantError."""
        found = {}
        for name, future in futures.items():
            try:
                found[name] = future.result()
            except ProfilerError as error:
                problem = f"can't be profiled: it {error.message}"
                raise VariantError(self.variants[name], problem, error.remedy) from None
            if not found[name].busy:
                problem = "can't be profiled: no sample found it at work"
                remedy = "give it longer: --seconds"
                raise VariantError(self.variants[name], problem, remedy)
        return found
