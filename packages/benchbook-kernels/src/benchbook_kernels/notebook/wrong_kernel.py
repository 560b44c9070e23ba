"""A cell that says which kernel its notebook needs: in that kernel it says nothing.

Benchbook writes it into its notebooks as two strings in double quotes, added up in brackets.
"""

import re

from benchbook_kernels.install import kernelspecs

STRING = re.compile(r'"([^"\n]*)"')
STRINGS = re.compile(rf"\(?\s*{STRING.pattern}(?:\s*\+\s*{STRING.pattern})*\s*\)?")


def is_for(code: str, language: str) -> bool:
    """Is this the cell of a notebook for this language, of whatever release?"""
    code = code.strip()
    said = "".join(STRING.findall(code))
    return bool(STRINGS.fullmatch(code)) and said.startswith(beginning(language))


def beginning(language: str) -> str:
    """What such a cell says first, of whatever release of Benchbook."""
    return f"This notebook needs the kernel {kernelspecs.display_name(language)}."
