"""What can be told of C# methods from the text of a file, before it is built. In doubt nothing is:
what is built says the rest."""

import re

NO_CODE = re.compile(r'"""[\s\S]*?"""|@"(?:[^"]|"")*"|"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*[\s\S]*?\*/')
METHOD = re.compile(
    r"\[(?:[^\[\]]*,)?\s*Benchmark(?:Attribute)?\b[^\[\]]*\](?:\s*\[[^\[\]]*\])*\s*"
    r"((?:(?:public|async|static|unsafe|virtual|override|new|sealed)\s+)*)"
    r"([\w.]+(?:\s*<[^{};=]*?>)?)\s+(\w+)\s*\("
)
CONDITIONAL = re.compile(r"(?m)^\s*#\s*if\b")
PUBLIC = re.compile(r"\bpublic\s+[^;{}()=]*?\b(\w+)\s*(?:<[^<>(){};]*>)?\s*\(")
CALLED = re.compile(r"(\w+)\s*(?:<[^<>(){};]*>)?\s*\(")


def bare(code: str) -> str:
    """Code without comments and the text of strings, whose lines are those of the code."""
    return NO_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), code)


def lacks_methods(code: str) -> bool:
    """Is there surely nothing that can be timed? That is a public method, or a benchmark."""
    return not re.search(r"\bpublic\b|Benchmark", bare(code))


def named(code: str) -> set[str]:
    """All names that may be a method's."""
    return set(CALLED.findall(bare(code)))


def public(code: str) -> list[str]:
    """The names of public methods, in the order of the code."""
    return list(dict.fromkeys(PUBLIC.findall(bare(code))))


def benchmarks(code: str) -> list[str]:
    """The methods that are marked with [Benchmark], [] where that depends on how it is built."""
    text = bare(code)
    if CONDITIONAL.search(text):
        return []
    return list(dict.fromkeys(match[3] for match in METHOD.finditer(text)))


def needs_arguments(code: str, method: str) -> bool:
    """Is a method surely one that needs arguments and is given none?"""
    text = bare(code)
    if CONDITIONAL.search(text) or re.search(r"Arguments|ParamsSource", text):
        return False
    declared = re.compile(
        rf"\b(?:public|static|async)\s+[\w.<>\[\],?\s]*?\b{re.escape(method)}\s*\(\s*(\)?)"
    )
    found = declared.findall(text)
    # of two with one name, the other may need none; a call looks like no declaration
    return len(found) == 1 and not found[0] and len(re.findall(rf"\b{method}\s*\(\s*\)", text)) == 0
