"""A cell that says which kernel its notebook needs: in that kernel it says nothing.

Benchbook writes it into its notebooks as two strings in double quotes, added up in brackets.
"""

import re

from benchbook_kernels.install import kernelspecs

NEEDS = "This notebook needs the kernel "
STRING = re.compile(r'"([^"\n]*)"')
STRINGS = re.compile(rf"\(?\s*{STRING.pattern}(?:\s*\+\s*{STRING.pattern})*\s*\)?")


def is_for(code: str, language: str) -> bool:
    """Is this the cell of a notebook for this language, of whatever release?"""
    code = code.strip()
    said, kernel = "".join(STRING.findall(code)), kernelspecs.display_name(language)
    needed, whole, _ = said.partition(". ")
    is_ours = bool(STRINGS.fullmatch(code)) and needed.startswith(NEEDS) and bool(whole)
    return is_ours and kernel in needed.removeprefix(NEEDS).split(" or ")


def beginning(*languages: str) -> str:
    """What such a cell says first, of whatever release of Benchbook. Of several languages, any
    one's kernel will do."""
    return f"{NEEDS}{' or '.join(map(kernelspecs.display_name, languages))}."
