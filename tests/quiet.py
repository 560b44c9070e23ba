"""An audience of races that shows nothing."""


class Quiet:
    """Keeps what it was told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def say(self, text: str) -> None:
        self.told.append(text)

    wait = say

    def follow(self, race) -> None:
        for _ in race.events():
            pass
