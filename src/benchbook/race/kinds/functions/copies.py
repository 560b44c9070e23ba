"""Functions that are asked in slices, which take turns."""

import math
import time
from collections.abc import Iterator, Mapping, Sequence

from benchbook.model.variants import Variant
from benchbook.programs.programs import Prepared, VariantError
from benchbook.race.executor import Measurement
from benchbook.race.kinds.copies import CallsSeen, Copies, CopyCost, Look, measured
from benchbook.race.kinds.functions.executor import NoTimeError, SlicedExecutor
from benchbook.race.race import Race
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.processes import Keeper

BLOCK_SECONDS = 0.2  # of all copies; then one sees whether somebody still looks


class FunctionCopies(Copies):
    """Copies of functions, in processes of their own."""

    calls = True

    def __init__(self, race: Race) -> None:
        super().__init__(race)
        assert isinstance(race.executor, SlicedExecutor)
        self.executor = race.executor

    @property
    def keeper(self) -> Keeper:
        return self.executor.keeper

    def replace(self, variants: Mapping[str, Variant], prepared: Mapping[str, Prepared]) -> None:
        self.executor.variants, self.executor.prepared = variants, prepared

    def pid(self, name: str) -> int:
        return self.executor.running[name].dialogue.process.pid

    def launch(self, names: Sequence[str]) -> None:
        super().launch(names)
        self.executor.next_start = math.inf  # nothing starts beside the window

    def warm_up(self, names: Sequence[str]) -> Iterator[None]:
        count = 0
        while True:
            self.block(names)
            yield
            if not self.executor.is_warm_up_due(count):
                return
            count += 1

    def block(self, names: Sequence[str]) -> dict[str, Measurement]:
        """What each did in a block of slices. Raises VariantError."""
        found = self.executor.measure_in_slices(names, BLOCK_SECONDS / len(names))
        return {name: measured(name, outcome) for name, outcome in found.items()}

    def window(
        self, names: Sequence[str], lead: float, seconds: float, look: Look
    ) -> dict[str, CopyCost]:
        whole: list[dict[str, Measurement]] = []
        late: list[dict[str, Measurement]] = []  # on a busy machine none may end in time
        looking, begun = look(), time.monotonic()
        while looking() or time.monotonic() - begun < lead + seconds:
            at = time.monotonic() - begun
            done = self.block(names)
            if lead <= at < lead + seconds:
                in_time = time.monotonic() - begun <= lead + seconds
                (whole if in_time else late).append(done)
        blocks = whole or late
        if not blocks:
            raise BenchError("no block of calls fits into the window", "give it longer: --seconds")
        return {name: cost([block[name] for block in blocks]) for name in names}

    def seen(self, names: Sequence[str], seconds: float) -> dict[str, CallsSeen]:
        self.executor.heaps.clear()  # of this window alone
        self.executor.allocated.clear()
        running = [name for name in names if name in self.executor.running]
        outcomes = self.executor.measure_in_slices(running, seconds)
        for outcome in outcomes.values():
            if isinstance(outcome, VariantError) and not isinstance(outcome, NoTimeError):
                raise outcome
        done = {name for name, each in outcomes.items() if not isinstance(each, NoTimeError)}
        allocated = self.executor.allocated  # one that was removed once does not run any more
        return {name: CallsSeen(allocated.get(name), removed=name not in done) for name in names}


def cost(blocks: Sequence[Measurement]) -> CopyCost:
    """What a call cost, in all blocks."""
    calls = sum(block.load.requests for block in blocks)
    return CopyCost(calls, 1e6 * sum(block.load.seconds for block in blocks) / calls)


COPIES = FunctionCopies
