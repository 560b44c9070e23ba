"""An experiment of one's own, as the texts of its files: of programs that somebody has, or of two
small servers that differ in one line. Nothing is written here."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchbook.compare import detect
from benchbook.compare.question import DELTA
from benchbook.programs import runners
from benchbook.system import paths
from benchbook_kernels.base.errors import InputError

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
IMPORT = re.compile(r"""(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)['"]([^'"\n]+)['"]""")
BUILT_IN = "assert buffer child_process cluster crypto dns events fs http http2 https module net os"
BUILT_IN += " path perf_hooks process querystring readline stream string_decoder timers tls tty url"
BUILT_IN += " util v8 vm worker_threads zlib"
FUNCTION = re.compile(
    r"^\s*export\s+(?:async\s+)?function\s+(\w+)"
    r"|^\s*export\s+(?:const|let)\s+(\w+)\s*=\s*(?:async\s*)?(?:function\b|\(|\w+\s*=>)",
    re.MULTILINE,
)
PACKAGE = re.compile(r"(?:@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*")

# What is asked of each kind of thing, and how long a sample is.
TABLES = {
    detect.SERVERS: ('[http]\npath = "/"', 0.2),
    detect.FUNCTIONS: ('[micro]\nmodule = "timed.mjs"', 0.1),
    detect.COMMANDS: ("[commands]", 0.1),
}
SERVER = """\
import http from 'node:http';

const server = http.createServer((request, response) => {{
  response.setHeader('content-type', 'application/json');
  response.end({body});
}});
server.listen(process.env.PORT, '127.0.0.1');
"""
OBJECT, TEXT = "JSON.stringify({ hello: 'world' })", '\'{"hello":"world"}\''
TIMED = """\
// What is timed: a call of the function that a variant's file exports. It must give what the
// baseline's gives. Arguments belong into `input`.
import {{ deepStrictEqual }} from 'node:assert';
import * as baseline from './{file}';

const input = [];

export default function (exports, {{ benchmark }}) {{
  const call = exports[benchmark];
  deepStrictEqual(call(...input), baseline.{benchmark}(...input));
  return () => call(...input);
}}
"""


@dataclass(frozen=True)
class DraftVariant:
    """A program; more: further fields of its table, as TOML."""

    name: str
    file: str
    more: tuple[str, ...] = ()


@dataclass(frozen=True)
class Draft:
    """An experiment that is yet to be written. called: one of detect.KINDS; files: what it consists
    of besides experiment.toml and claim.toml, by name; made: it is of our own small servers."""

    name: str
    question: str
    called: str
    variants: tuple[DraftVariant, ...]
    files: dict[str, bytes] = field(default_factory=dict)
    made: bool = False

    @property
    def others(self) -> tuple[DraftVariant, ...]:
        """All but the baseline, which is the first."""
        return self.variants[1:]

    def experiment(self, schema: str) -> str:
        """The text of experiment.toml; schema: where its schema is, for editors."""
        table, seconds = TABLES[self.called]
        modes = (("quick", 30), ("full", 300))
        parts = [
            f"#:schema {schema}\n"
            f"title = {quoted(self.name)}\nquestion = {quoted(self.question)}\n"
            f'claim = "claim.toml"\nbaseline = {quoted(self.variants[0].name)}',
            table,
            *(f"[race.{m}]\nbudget_seconds = {b}\nsample_seconds = {seconds}" for m, b in modes),
            *map(table_of, self.variants),
        ]
        return "\n\n".join(parts) + "\n"

    def claim(self, schema: str) -> str:
        """The text of claim.toml: a question of our own for each program beside the baseline."""
        about = f"#:schema {schema}\n" 'format = "benchbook-claim/1"\n'
        about += f"title = {quoted(self.question)}\n"
        about += 'summary = "Nobody claims it yet: a question of our own."\n\n'
        about += f'[source]\narticle = "none"\ntitle = {quoted(self.name)}\n'
        about += 'language = "English"\nmethod = "none"'
        return "\n\n".join([about, *map(self.statement, self.others)]) + "\n"

    def statement(self, variant: DraftVariant) -> str:
        first = self.variants[0].name
        return (
            f'[[statements]]\nid = "{variant.name}-is-faster"\n'
            f'says = "{variant.name} is faster than {first}"\nours = true\ntype = "faster"\n'
            f'a = "{variant.name}"\nb = "{first}"\nplace = "our own question"\n'
            f"smallest_effect = {DELTA}  # a smaller difference does not matter"
        )


def table_of(variant: DraftVariant) -> str:
    name = quoted(variant.name)
    lines = [f"name = {name}", f"title = {name}", f"file = {quoted(variant.file)}", *variant.more]
    return "\n".join(["[[variants]]", *lines])


def quoted(text: str) -> str:
    """Text as TOML writes it."""
    return json.dumps(text, ensure_ascii=False)


def check_name(name: str) -> None:
    """Raises InputError for what can't be the name of an experiment: a file's and a folder's on all
    systems, in addresses, and none that would be taken for a number."""
    if NAME.fullmatch(name) and re.search("[a-z]", name):
        return
    proposed = slug(name)
    remedy = "small letters, digits and -, with a letter, at most 64"
    if re.search("[a-z]", proposed):
        remedy += f": {proposed}"
    raise InputError("new", "NAME", f"'{name}' can't be the name of an experiment", remedy)


def slug(text: str) -> str:
    """Text as a name."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:64]


def small(name: str) -> Draft:
    """Two servers that differ in one line. Raises InputError for a name that can't be one."""
    check_name(name)
    codes = {"stringify": SERVER.format(body=OBJECT), "text": SERVER.format(body=TEXT)}
    variants = tuple(DraftVariant(each, f"{each}.mjs") for each in codes)
    files = {f"{each}.mjs": code.encode() for each, code in codes.items()}
    question = "Is a text that is ready faster than JSON.stringify?"
    return Draft(name, question, detect.SERVERS, variants, files, made=True)


def of(name: str, words: Sequence[str], kind: str = "") -> Draft:
    """Of programs that somebody has, which are copied; the first is the baseline.

    Raises InputError for one that is not there, is no file that can be copied alone, or can't be
    compared with the others.
    """
    check_name(name)
    if len(words) < 2:
        raise InputError("new", "--from", "names one file", "give two at least: --from A B")
    called = detect.kind_of(words, kind)
    if called not in TABLES:
        remedy = f"./bench compare {' '.join(words)} compares them as they are"
        problem = "are methods of C#, for which an experiment needs a project"
        raise InputError("new", "--from", problem, remedy)
    sources = [source(word) for word in words]
    names = called_by(sources)
    files = dict[str, bytes]()
    for path, file in zip(sources, names, strict=True):
        for there, content in copied(path, file):
            if files.setdefault(there, content) != content:
                problem = f"two files would be {there}"
                raise InputError("new", "--from", problem, "rename one of them")
    variants = tuple(map(variant, sources, names, [called] * len(names)))
    if twice := {v.name for v in variants if [o.name for o in variants].count(v.name) > 1}:
        problem = f"two programs would be called {sorted(twice)[0]}"
        raise InputError("new", "--from", problem, "rename a file: no two may differ in its ending")
    if called == detect.FUNCTIONS:
        file, function = names[0], exported(sources[0])
        files["timed.mjs"] = TIMED.format(file=file, benchmark=function).encode()
    others = " or ".join(each.name for each in variants[1:])
    question = f"Is {others} faster than {variants[0].name}?"
    return Draft(name, question, called, variants, files)


def source(word: str) -> Path:
    """A file that can be copied alone. Raises InputError."""
    path = detect.file_of(word, Path())
    if path is None or not path.is_file():
        problem = "is no file; an experiment consists of files"
        raise InputError(word, "", problem, "put a command into a script, as a.sh")
    if path.suffix == ".csproj":
        remedy = 'copy its folder into the experiment\'s, and name it there: file = "X/X.csproj"'
        raise InputError(word, "", "is a project, and more than one file", remedy)
    if runners.find(path) is None:
        known = ", ".join(suffix for each in runners.RUNNERS for suffix in each.suffixes)
        raise InputError(word, "", f"nothing is known that runs it (known: {known})")
    try:
        path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        problem = "is not UTF-8 text, which the notebook shows"
        raise InputError(word, "", problem, "give its source, or a script that calls it") from None
    return path


def called_by(sources: Sequence[Path]) -> list[str]:
    """What each copy is called: as its file, with its folder's name where two are alike."""
    names = [path.name for path in sources]
    if len(set(names)) < len(names):
        names = [f"{slug(path.absolute().parent.name)}-{path.name}" for path in sources]
    return names


def variant(path: Path, file: str, called: str) -> DraftVariant:
    """A copied program, with what it needs."""
    name = slug(file.partition(".")[0]) or "program"
    more = list[str]()
    if path.suffix in detect.SCRIPTS:
        needs = sorted(packages(detect.text_of(path)))
        more += [f"needs = {json.dumps([f'npm:{each}' for each in needs])}"] if needs else []
    if called == detect.FUNCTIONS:
        more += [f'benchmark = "{exported(path)}"']
    return DraftVariant(name, file, tuple(more))


def exported(path: Path) -> str:
    """The function of a module that is timed: its default export, or the only one that it names.

    Raises InputError where it is not clear which.
    """
    text = detect.text_of(path)
    named = [one or other for one, other in FUNCTION.findall(text)]
    if re.search(r"^\s*export\s+default\b", text, re.MULTILINE):
        return "default"
    if len(named) != 1:
        told = f"exports {', '.join(named)}" if named else "exports no function by `export`"
        remedy = "give it a default export: export default function () { … }"
        raise InputError(paths.near(path), "", told, remedy)
    return str(named[0])


def packages(text: str) -> set[str]:
    """The npm packages that a script imports."""
    found = (PACKAGE.match(each) for each in IMPORT.findall(text) if not each.startswith("node:"))
    return {match[0] for match in found if match} - set(BUILT_IN.split())


def copied(path: Path, file: str) -> Iterator[tuple[str, bytes]]:
    """A file under a name, and what it imports from its folder, each as (name, content).

    Raises InputError where it imports what lies outside of that.
    """
    yield file, path.read_bytes()
    if path.suffix not in detect.SCRIPTS:
        return
    seen, folder = {path.resolve()}, path.resolve().parent
    waiting = [path.resolve()]
    while waiting:
        now = waiting.pop()
        for each in IMPORT.findall(detect.text_of(now)):
            there = (now.parent / each).resolve() if each.startswith(".") else None
            if there is None or there in seen or not there.is_file():
                continue
            if not there.is_relative_to(folder):
                problem = f"imports {each}, which lies outside of its folder"
                raise InputError(paths.near(path), "", problem, "copy it there, or write one file")
            seen.add(there)
            waiting += [there] if there.suffix in detect.SCRIPTS else []
            yield there.relative_to(folder).as_posix(), there.read_bytes()
