"""Of a process that times a function: what belongs to the calls, and not to who times them."""

from collections.abc import Callable
from dataclasses import replace

from benchbook.model.profiles.profile import Frame, Profile, StackCounter


def to_calls(
    profile: Profile,
    calls: Callable[[Frame], bool],
    everywhere: Callable[[Frame], bool],
    inlined: Callable[[Frame, Frame], bool] = lambda caller, called: False,
) -> Profile:
    """The profile from the innermost frame on that makes the calls, without it, and nothing of what
    was not called from there; and stacks of one frame that counts `everywhere`, because the runtime
    does not tell who called it. inlined: is the second a call, although the first does not make
    them, because what does was inlined into it?"""
    counter = StackCounter()
    for stack in profile.stacks:
        frames = [profile.frames[number] for number in stack.frames]
        begins = [
            i
            for i, frame in enumerate(frames)
            if calls(frame) or i + 1 < len(frames) and inlined(frame, frames[i + 1])
        ]
        if len(frames) == 1 and everywhere(frames[0]):
            counter.add(frames, stack.samples)
        elif begins and begins[-1] + 1 < len(frames):
            counter.add(frames[begins[-1] + 1 :], stack.samples)
    return replace(profile, frames=counter.frames, stacks=counter.stacks)
