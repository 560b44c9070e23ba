"""How a client asks over HTTP: what a load generator declares, and readiness and parity repeat."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Manner:
    """How a client asks: its version of HTTP, and its headers beside Host."""

    http: str = "1.1"
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def keeps(self) -> bool:
        """Does it ask for a connection that stays open?"""
        return self.http == "1.1" or ("Connection", "Keep-Alive") in self.headers

    def request(self, address: str, port: int, path: str) -> bytes:
        """A whole GET request."""
        host = f"[{address}]" if ":" in address else address
        fields = [("Host", f"{host}:{port}"), *self.headers]
        lines = [f"GET {path} HTTP/{self.http}", *(f"{name}: {value}" for name, value in fields)]
        return "".join(f"{line}\r\n" for line in [*lines, ""]).encode()


PLAIN = Manner()
