"""Which samples count for nothing: of programs that failed, or that could not show their speed."""

from collections import Counter

from benchbook.model.runs import Run
from benchbook_kernels.base.words import counted

FAILURE_LIMIT = 0.001  # of a variant's requests: with more failures its figures are excluded
FAILURES = ("errors", "non-2xx")  # flags of samples in which at least one request failed
LIGHTEST = "wrk"  # of the load generators, for one request
# flags of a noisy machine: that is in the interval, and no reason to refuse a verdict
NOISE = ("machine-busy", "cpu-stolen", "clock-lower", "disturbed")
# Of those loaded together the CPU time of a request is compared, and no latency is in that. Whoever
# waits for its load generator has less of the CPU, which is in the interval as well. Where all wait
# because the load generators have no CPU left, that excludes them all the same (docs/method.md).
NOISE_TOGETHER = (*NOISE, "littles-law")
CLIENT_SIDE = (
    "all failed, the baseline and its copy, too: that is the client's side, and no program's; look "
    "at the load generator's limits (ulimit -n), or take fewer --connections"
)


def all_fail(run: Run) -> bool:
    """Do too many requests of every program end in errors, rather than in answers?"""
    requests, errors = Counter[str](), Counter[str]()
    for sample in run.samples:
        requests[sample.variant] += sample.requests
        errors[sample.variant] += sum(sample.errors.values())
    failing = [errors[name] > FAILURE_LIMIT * requests[name] for name in requests]
    return len(failing) > 1 and all(failing)


def too_many_failed(run: Run, name: str) -> str:
    """How many of a variant's requests failed; '' where so few did that its figures count."""
    samples = [sample for sample in run.samples if sample.variant == name]
    requests = sum(sample.requests for sample in samples)
    errors = sum(sum(sample.errors.values()) for sample in samples)
    failed = errors + sum(sample.non_2xx for sample in samples)
    if failed <= FAILURE_LIMIT * requests:
        return ""
    told = f"{failed:,} of {name}'s {counted(requests + errors, run.kind.thing)} failed"
    return f"{told}; {CLIENT_SIDE}" if all_fail(run) else told


def why_excluded(run: Run, name: str) -> str:
    """Why a variant's samples are excluded: too many requests failed, or most of them are flagged.

    '' where they are not. Noise alone excludes none: how much it hurts is in the interval. Nor do
    samples with a failed request each: a load that lasts a launch counts them in its last block.
    """
    if told := too_many_failed(run, name):
        return told
    samples = [sample for sample in run.samples if sample.variant == name]
    harmless = (*FAILURES, *(NOISE_TOGETHER if run.plan.together else NOISE))
    for flag in sorted({flag for s in samples for flag in s.flags if flag not in harmless}):
        count = sum(flag in sample.flags for sample in samples)
        if 2 * count > len(samples):
            verb = "is" if count == 1 else "are"
            told = f"{count} of {name}'s {counted(len(samples), 'sample')} {verb} flagged {flag}"
            slow = flag == "client-bound" and run.tool.name != LIGHTEST
            return f"{told}; {LIGHTEST} needs less CPU (./bench doctor)" if slow else told
    return ""
