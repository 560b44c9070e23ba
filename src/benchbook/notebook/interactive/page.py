"""What `#!html`, `#!markdown`, `#!mermaid` and `#!javascript` show in the page of the notebook.

A script of `#!javascript` is for the page, and not for Node.js, where it uses what only a page has,
such as `document.title` or `alert("…")`, and does not itself declare that name. What is shared with
a script for the page stands before it.
"""

import re
from collections.abc import Mapping
from typing import Any

# not a property of something, though it may be spread: ...name
FREE = r"(?<![\w$])(?:(?<=\.\.\.)|(?<!\.))"
# how a script uses what only a page has; many a script has an `element` of its own in another cell
USES = {
    "document": r"(?<!typeof )document\b(?!\s*:)",
    "window": r"(?<!typeof )window\b(?!\s*:)",
    "element": r"element\s*(?:\?\.|\.|\[)",
    "interactive": r"interactive\s*\.",
    "notebookScope": r"notebookScope\b",
    "alert": r"alert\s*\(",
    "require": r"require\s*\(\s*\[",  # RequireJS's takes a list
}
TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)|'(?:\\.|[^'\\\n])*'?|"(?:\\.|[^"\\\n])*"?|[`{}]"""
    # a regular expression: a slash where no value stands to be divided
    r"|(?:\A|(?<=[=(,:;!&|?{}\[\s]))/(?![/*\s])(?:[^\\/\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*",
    re.DOTALL,
)
TEMPLATE = re.compile(r"(?:\\.|\$(?!\{)|[^\\$`])*(`|\$\{|\Z)", re.DOTALL)


def bundle(kind: str, text: str, values: Mapping[str, str]) -> dict[str, Any]:
    """The MIME bundle that shows html, markdown, mermaid or JavaScript for the page.

    values: what the JavaScript may use by name, as JSON texts.

    Mermaid is text/vnd.mermaid, which JupyterLab draws without a network; elsewhere its source is
    shown.
    """
    text = text.strip("\n")
    if kind == "html":
        plain = re.sub(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", "", text, flags=re.S | re.I)
        return {"text/html": text, "text/plain": plain.strip()}
    if kind == "markdown":
        return {"text/markdown": text, "text/plain": text}
    if kind == "mermaid":
        return {"text/vnd.mermaid": text, "text/plain": text}
    script = with_values(text, values)
    html = f'<script type="text/javascript">{script}</script>'
    return {"application/javascript": script, "text/html": html, "text/plain": text}


def is_for_page(script: str) -> bool:
    """Does a script use what only a page has?"""
    code = without_texts(script)
    uses = [name for name, use in USES.items() if re.search(FREE + use, code)]
    return not all(declares(code, name) for name in uses)


def with_values(script: str, values: Mapping[str, str]) -> str:
    """A script for the page, after declarations of the values (JSON texts) that it uses."""
    code = without_texts(script)
    used = [
        f"var {name} = {_as_source(text)};\n"
        for name, text in values.items()
        if re.search(rf"{FREE}{name}\b", code) and not declares(code, name)
    ]
    return "".join([*used, script])


def _as_source(text: str) -> str:
    """JSON as it may stand in a script within HTML: `</script` in a string would end that."""
    for character in "<\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def without_texts(script: str) -> str:
    """A script without its comments, strings and regular expressions; of templates only `${…}`."""
    kept: list[str] = []
    open_braces: list[int] = []  # of each template that we are in a `${…}` of
    at = 0
    while match := TOKEN.search(script, at):
        kept += [script[at : match.start()], " "]
        at, token = match.end(), match[0]
        if token in "{}":
            kept.append(token)
            if open_braces:
                open_braces[-1] += 1 if token == "{" else -1
        closes = bool(open_braces) and open_braces[-1] < 0
        if closes:
            open_braces.pop()
        if token == "`" or closes:
            text = TEMPLATE.match(script, at)
            assert text  # it matches up to the end at worst
            at = text.end()
            if text[1] == "${":
                kept.append("{")
                open_braces.append(0)
    return "".join([*kept, script[at:]])


def declares(code: str, name: str) -> bool:
    """Does code (without texts) declare the name: const, let, var, a function, a parameter?"""
    # not where it is used as what it is: `let a` on a line, `document.title` on the next
    bare = rf"{FREE}{name}\b(?!\s*[.(\[?])"
    return any(
        re.search(pattern, code)
        for pattern in (
            rf"\b(?:const|let|var|import)\b[^=;()]*?{bare}",
            rf"\b(?:function\s*\*?|class)\s+{name}\b",
            rf"{bare}\s*=(?!=)",  # also of an arrow: name => …
            rf"\([^()]*{bare}[^()]*\)\s*=>",
            rf"\b(?:function\b[^(]*|catch\s*)\([^)]*{bare}",
        )
    )
