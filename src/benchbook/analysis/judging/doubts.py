"""Whether a verdict stands on samples of a machine that was not free: said before anything else."""

from collections import Counter

from benchbook.analysis.statistics.exclusion import FAILURES
from benchbook.model.runs import Run

# What a flag says of the time in which a sample was taken, and in short before a finding.
WHILE = {
    "machine-busy": ("while other programs used the machine's CPUs", "On a busy machine"),
    "cpu-stolen": (
        "while the hypervisor gave the CPU to other machines",
        "On a machine that was taken away for moments",
    ),
    "clock-lower": ("with a lower clock of the CPU than before", "With a clock that changed"),
    "client-bound": ("with a load generator that had no CPU left", "With a load tool at its limit"),
    "server-idle": ("with servers that had CPU left", "With servers that were not busy"),
    "miscounted": (
        "with a load generator that did not count all that it sent",
        "With a load tool that miscounts",
    ),
    "littles-law": (
        "with connections that were not busy, or a clock that is wrong",
        "With connections that were not busy",
    ),
}
BESIDE = "raced beside another race of this machine (--anyway)"


def doubt(run: Run) -> str:
    """What the reader must know before the verdict, in a sentence; '' where there is nothing.

    Where at least half of the samples are flagged: for what, and how many. Failed requests have
    limits of their own (exclusion.py).
    """
    told = [BESIDE] if run.plan.beside else []
    if flag := mostly(run):
        count = Counter(flag for sample in run.samples for flag in set(sample.flags))[flag]
        told.append(f"{count:,} of {len(run.samples):,} samples were taken {WHILE[flag][0]}")
    if not told:
        return ""
    text = "; ".join(told)
    return f"{text[0].upper()}{text[1:]}: race again."


def in_short(run: Run) -> str:
    """The same in a few words, to stand before a finding; '' where there is nothing."""
    if flag := mostly(run):
        return WHILE[flag][1]
    return "Beside another race" if run.plan.beside else ""


def mostly(run: Run) -> str:
    """The flag that most samples have, where at least half have one; '' where they do not."""
    flagged = [set(sample.flags) - set(FAILURES) for sample in run.samples]
    if not run.samples or 2 * sum(map(bool, flagged)) < len(run.samples):
        return ""
    counts = Counter(flag for flags in flagged for flag in sorted(flags) if flag in WHILE)
    return counts.most_common(1)[0][0] if counts else ""
