"""Evidence that the thing measured was the bottleneck, and what speaks against a sample.

Each flag is a short name; EXPLAIN says what it means and what to do.
"""

from dataclasses import dataclass

from benchbook.load import Load

CLIENT_BOUND = 0.95  # share of its CPUs that the load generator used: it could give no more
SERVER_IDLE = 0.75  # CPUs that the server used, at least, if it was the bottleneck
LITTLE_TOLERANCE = 0.15  # relative difference allowed in Little's law

EXPLAIN = {
    "client-bound": "the load generator used all of its CPU, so it was the bottleneck: "
    "give it more cores, or ask for more work per request",
    "server-idle": "the server had CPU time left, so it was not the bottleneck: "
    "raise --connections",
    "errors": "connections failed or timed out: the figures count what is left",
    "non-2xx": "the server answered with an error status: it did not do the work",
    "littles-law": "connections ≠ throughput × mean latency: "
    "the load generator did not keep its connections busy, or its clock is wrong",
}


@dataclass(frozen=True)
class Setting:
    """What a sample was taken with: CPUs given to each side (their count) and connections.

    corrected: the load generator's latencies hold more than was sent (see load.Tool.corrects).
    """

    server_cpus: int
    client_cpus: int
    connections: int
    corrected: bool = False


def littles_law(load: Load) -> float | None:
    """Mean number of requests in flight: throughput × mean latency. None without a mean latency.

    Little 1961, A Proof for the Queuing Formula L = λW, doi:10.1287/opre.9.3.383.
    """
    mean = load.latency_ms.get("mean")
    return None if mean is None else load.requests_per_second * mean / 1000


def flags(load: Load, server_cpu_seconds: float, setting: Setting) -> list[str]:
    """What speaks against a sample; empty where nothing does.

    server_cpu_seconds: CPU time of the server during the sample. A NaN is no evidence.
    """
    found = []
    if sum(load.errors.values()):
        found.append("errors")
    if load.non_2xx:
        found.append("non-2xx")
    if load.seconds > 0:
        if load.client_cpu_seconds / load.seconds > CLIENT_BOUND * setting.client_cpus:
            found.append("client-bound")
        elif server_cpu_seconds / load.seconds < SERVER_IDLE:
            found.append("server-idle")
    in_flight = littles_law(load)
    # a latency resolution of a millisecond says nothing about means below it
    if in_flight is not None and load.latency_ms["mean"] and load.requests:
        coarse = float(load.latency_ms["max"] or 0).is_integer()
        off = in_flight / setting.connections - 1
        if not coarse and (-off if setting.corrected else abs(off)) > LITTLE_TOLERANCE:
            found.append("littles-law")
    return found
