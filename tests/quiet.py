"""An audience of races that looks at what happens, and shows nothing."""


class Quiet:
    """Keeps what it was told, and what it followed. look: is called with each event."""

    def __init__(self, look=lambda event: None) -> None:
        self.look, self.ready = look, None
        self.told: list[str] = []

    def say(self, text: str) -> None:
        self.told.append(text)

    wait = say

    def follow(self, ready) -> None:
        self.ready = ready
        for event in ready.events():
            self.look(event)
