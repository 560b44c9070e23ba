"""Stacks of one program, or of two put over each other, as a tree: who calls whom, at what cost."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from benchbook.model.profiles.comparison import ProfileComparison
from benchbook.model.profiles.profile import Frame
from benchbook.profiling.costs import Key, names_of, pace

SMALL = 0.004  # of the whole: smaller branches are one, without a name
DEEPEST = 24  # calls: what is called below counts where it was called
REST = "…"


@dataclass
class Branch:
    """A function that was called from the one above it. a, b: µs a request in it and in all that it
    calls, of each program; own_a, own_b: in itself alone."""

    key: Key
    frame: Frame | None = None
    own_a: float = 0.0
    own_b: float = 0.0
    called: dict[Key, "Branch"] = field(default_factory=dict)

    @property
    def a(self) -> float:
        return self.own_a + sum(each.a for each in self.called.values())

    @property
    def b(self) -> float:
        return self.own_b + sum(each.b for each in self.called.values())

    @property
    def width(self) -> float:
        """What it takes in a picture of both: the larger of both, function by function."""
        return max(self.own_a, self.own_b) + sum(each.width for each in self.called.values())

    @property
    def more(self) -> float:
        """What B spends more."""
        return self.b - self.a

    def walk(self, depth: int = 0) -> Iterator[tuple[int, "Branch"]]:
        """This one and all below it, each with how many calls away it is."""
        yield depth, self
        for each in self.called.values():
            yield from each.walk(depth + 1)


def tree(comparison: ProfileComparison) -> Branch:
    """Means over launches; of one program `b` is 0 everywhere."""
    root = Branch(Key("", "all"))
    evened, count = pace(comparison), len(comparison.launches)
    for place, program in enumerate(comparison.programs):
        names = names_of(comparison, program)
        for i, launch in enumerate(comparison.launches):
            profile = launch.profiles[program]
            each = launch.plain[program].sampled_us * evened[i] / profile.busy / count
            for stack in profile.stacks:
                at = root
                for number in stack.frames[:DEEPEST]:
                    frame = profile.frames[number]
                    key = names.key(frame)
                    at = at.called.setdefault(key, Branch(key, frame))
                if place:
                    at.own_b += float(each * stack.samples)
                else:
                    at.own_a += float(each * stack.samples)
    return pruned(root, SMALL * root.width)


def pruned(branch: Branch, least: float) -> Branch:
    """The same with small branches put together, and the others in the order of their size."""
    kept = [pruned(each, least) for each in branch.called.values() if each.width >= least]
    small = [each for each in branch.called.values() if each.width < least]
    kept.sort(key=lambda each: -each.width)
    if small:
        key = Key("", REST)
        a, b = sum(each.a for each in small), sum(each.b for each in small)
        kept.append(Branch(key, None, a, b))
    return Branch(
        branch.key, branch.frame, branch.own_a, branch.own_b, {each.key: each for each in kept}
    )
