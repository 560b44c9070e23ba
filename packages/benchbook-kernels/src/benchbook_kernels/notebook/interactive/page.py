"""What `#!html`, `#!markdown`, `#!mermaid` and `#!javascript` show in the page of the notebook.

A script of `#!javascript` is for the page, and not for Node.js, where it uses what only a page has,
such as `document.title` or `alert("…")`, and does not itself declare that name. What is shared with
a script for the page stands before it, and so does page_kernel.js, where a script uses `kernel`.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

KERNEL = Path(__file__).with_name("page_kernel.js")

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
    "kernel": r"kernel\s*\.\s*root\b",
    "polyglotNotebooks": r"polyglotNotebooks\s*\.",
    "d3": r"d3\s*\.\s*select(?:All)?\s*\(\s*\)",  # of a text: in the document
}
OF_KERNEL = ("kernel", "polyglotNotebooks")
NETWORK_IMPORT = re.compile(r"""\bimport\s*\(\s*["'`]https?:""")  # Node.js imports no such thing
TOP_LEVEL = re.compile(r"[{}]|\bawait\b|\breturn\b")
# around a script that awaits: else no front end would show its error
AWAITED = """\
(async () => {{
{script}
}})().catch((error) => {{
  if (typeof element === 'object') element.append(`${{error}}`);
  throw error;
}});"""
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
    script = with_kernel(with_values(text, values))
    html = f'<script type="text/javascript">{script}</script>'
    return {"application/javascript": script, "text/html": html, "text/plain": text}


def is_for_page(script: str) -> bool:
    """Does a script use what only a page has?"""
    code = without_texts(script)
    return bool(_free_uses(code) or NETWORK_IMPORT.search(script))


def _free_uses(code: str) -> list[str]:
    """What only a page has and code (without texts) uses, but does not declare."""
    uses = [name for name, use in USES.items() if re.search(FREE + use, code)]
    return [name for name in uses if not declares(code, name)]


def with_kernel(script: str) -> str:
    """A script with what it needs to run in the page as in .NET Interactive: its `kernel`, and a
    function around it where it awaits or returns at its top level."""
    code = without_texts(script)
    uses_kernel = any(name in _free_uses(code) for name in OF_KERNEL)
    if not uses_kernel and not _awaits(code):
        return script
    awaited = AWAITED.format(script=script)
    if not uses_kernel:
        return awaited
    given = "window.benchbookKernel, window.benchbookKernel"
    function = f"((kernel, {{ polyglotNotebooks }}) => {{\n{awaited}\n}})({given});"
    return KERNEL.read_text(encoding="utf-8") + function


def _awaits(code: str) -> bool:
    """Is there an `await` or a `return` in code (without texts) outside all braces?"""
    depth = 0
    for token in TOP_LEVEL.findall(code):
        depth += {"{": 1, "}": -1}.get(token, 0)
        if depth == 0 and token not in "{}":
            return True
    return False


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
