"""Looks at the servers' connections while load generators run: are they kept?"""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from benchbook.system.connections import Seen

LOOKS = 5  # during a sample
LEAST_SECONDS = 0.05  # between two looks


@contextmanager
def at(ports: Mapping[str, int], seconds: float) -> Iterator[dict[str, Seen]]:
    """Until the block ends, look at the servers on these ports. seconds: how long the load lasts,
    which may begin late on a busy machine.

    Yields what is seen of each, which is complete when the block ends.
    """
    seen = {name: Seen(port) for name, port in ports.items()}
    over = threading.Event()
    pause = max(LEAST_SECONDS, seconds / LOOKS)

    def watch() -> None:
        while not over.wait(pause):
            for each in seen.values():
                each.look()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield seen
    finally:
        over.set()
        watcher.join()
