"""Which version of something an article names."""

import re

from benchbook.model.claims import Source

NOT_AFTER = r"(?<![\w.-])"  # ".NET 4.5" is not found in "ASP.NET 4.5"


def version(source: Source, subject: str) -> str:
    """The first version of a subject ("Node.js", "fastify") that stands in what the article says of
    its software, '' where none does."""
    named = re.search(
        rf"{NOT_AFTER}{re.escape(subject)}\s+v?(\d+(?:\.\d+)*)", source.software, re.IGNORECASE
    )
    return named[1] if named else ""
