"""What a request costs the programs of an experiment, window by window of a warm-up, all loaded
together: without a rest, and with rests in which programs compile: the figures of "What a warm-up
needs" in method.md. On a machine that is busy elsewhere, too, because CPU time counts:

    .venv/bin/python studies/warm_up_by_time.py [EXPERIMENT [SECONDS]]
"""

import os
import sys
import time

from benchbook.model import experiments
from benchbook.programs import given_environment
from benchbook.race.kinds.http.executor import HttpExecutor
from benchbook.race.kinds.http.warm_load import WarmLoad
from benchbook.race.options import Options
from benchbook.race.prepare import prepare
from benchbook.race.warming import TIERED_LOOK_SECONDS, cpu_seconds, mean_cost

which = sys.argv[1] if len(sys.argv) > 1 else "10"
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 15.0
rest = WarmLoad.rest


def go_on(self: WarmLoad) -> float:
    return 0.0


for rests in (False, True):
    for delay in ("0", "20"):  # milliseconds, as .NET reads them: 32
        os.environ[given_environment.COUNTING_DELAY] = delay
        WarmLoad.rest = rest if rests else go_on  # type: ignore[method-assign]
        race = prepare(experiments.find(which), Options())
        executor = race.executor
        assert isinstance(executor, HttpExecutor), "an experiment of servers"
        names = [entry.name for entry in race.run.entries if entry.status == "raced"]
        try:
            print(f"rests: {rests}, calls counted after {int(delay, 16)} ms without new ones")
            errors = executor.launch(names)
            assert not errors, errors
            print(f"  started: {cpu_seconds(executor.members):.1f} CPU seconds", flush=True)
            loaded, requests = 0.0, 0
            begun = time.monotonic()
            while loaded < seconds:
                found = executor.warm_up(names, TIERED_LOOK_SECONDS)
                known = {
                    name: done for name, done in found.items() if not isinstance(done, Exception)
                }
                costs = [
                    1e6 * done.evidence.server_cpu_seconds / max(1, done.load.requests)
                    for done in known.values()
                ]
                requests += sum(done.load.requests for done in known.values())
                loaded += TIERED_LOOK_SECONDS
                print(
                    f"  {time.monotonic() - begun:6.1f} s {mean_cost(costs):7.1f} µs a request, "
                    f"{requests / len(names):8,.0f} requests each, "
                    f"{cpu_seconds(executor.members):6.1f} CPU seconds in all",
                    flush=True,
                )
        finally:
            executor.close()
