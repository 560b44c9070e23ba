"""Programs of a reader's own in `%%variant` cells: whole ones, or the body of a server's handler.

Each is a file in scratch whose line N is the cell's line N, so that errors name the cell's lines.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from benchbook.notebook import workbench
from benchbook.show.markup import Output, folded, note, paragraph, total
from benchbook_kernels.base.errors import InputError

NAME = re.compile(r"[A-Za-z][\w-]*")
SUFFIXES = {"node": ".mjs", "csharp": ".cs", "python": ".py"}


@dataclass(frozen=True)
class HandlerHost:
    """What makes a program of a handler's body: the text before it and after it.

    `{}` in the head stands for the lines of the body that match `first`, which have to come first.
    marks_line: says that the body's first line is the cell's second, where the head is not one line
    long. names: what the body may use, and how it answers.
    """

    head: str
    tail: str
    first: re.Pattern[str]
    names: str
    marks_line: str = ""

    def program(self, body: str, file: str) -> str:
        """The whole program, in which the body's lines are numbered as in their cell."""
        lines = body.splitlines()
        above = [line.strip() for line in lines if self.first.match(line)]
        below = ["" if self.first.match(line) else line for line in lines]
        marks = [self.marks_line.format(file)] if self.marks_line else []
        separator = "\n" if self.marks_line else " "
        head = self.head.replace("{}", "".join(f"{line}{separator}" for line in above))
        return "\n".join([head, *marks, *below, self.tail, ""])

    @property
    def shown(self) -> str:
        """The host as a reader sees it."""
        return f"{self.head.replace('{}', '')}\n  … your lines …\n{self.tail}"


HOSTS = {
    "node": HandlerHost(
        head="import { createServer } from 'node:http'; {}const answer = async (req, res) => {",
        tail="""};
createServer(async (req, res) => {
  const text = await answer(req, res);
  if (text !== undefined) res.end(text);
}).listen(process.env.PORT, '127.0.0.1');""",
        first=re.compile(r"\s*import\s[^(]*['\"];?\s*$"),
        names="req and res; it returns the text of the answer, or calls res.end itself",
    ),
    "csharp": HandlerHost(
        head="""#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false
{}var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.UseUrls($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");
var app = builder.Build();
app.MapGet("/{**path}", async (HttpContext context) => {""",
        tail="""});
app.Run();""",
        first=re.compile(r"\s*(#:|using\s+(static\s+)?[\w.]+(\s*=\s*[\w.<>, ]+)?;)"),
        names="HttpContext context; it returns the text of the answer, or writes to"
        " context.Response",
        marks_line='#line 2 "{}"',
    ),
}


@dataclass(frozen=True)
class OwnProgram:
    """A cell's program. language: as in SUFFIXES; server: the code is a handler's body."""

    name: str
    language: str
    code: str
    server: bool = False

    @property
    def file(self) -> str:
        return f"{self.name}{SUFFIXES[self.language]}"

    @property
    def text(self) -> str:
        """The whole program; above it stands as much as the line of the magic takes."""
        if self.server:
            return HOSTS[self.language].program(self.code.rstrip(), self.file)
        return f"\n{self.code.rstrip()}\n"

    def write(self, folder: Path) -> Path:
        """Its file in a folder. Raises InputError where it can't be read as its language, and for
        a host that there is not."""
        if NAME.fullmatch(self.name) is None:
            problem = f"'{self.name}' is no name for a program"
            raise InputError("%%variant", "", problem, "a letter, then letters, digits, - and _")
        if self.server and self.language not in HOSTS:
            remedy = "write the whole program, which listens on the port in PORT"
            raise InputError("%%variant", "--server", f"knows no {self.language}", remedy)
        if not self.code.strip():
            remedy = "write its lines below %%variant" + (" --server" if self.server else "")
            raise InputError(f"%%variant {self.name}", "", "is empty", remedy)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"new-{self.file}"
        path.write_text(self.text, encoding="utf-8")
        try:
            check(path, self)
            return path.replace(folder / self.file)
        finally:
            path.unlink(missing_ok=True)

    def told(self, what: str, first: bool = True) -> Output:
        """What became of the cell. what: a sentence of what the program is; first: no other cell
        has shown its host."""
        if not self.server or not first:
            return paragraph(what)
        host = HOSTS[self.language]
        said = paragraph(f"{what} Your lines are its handler, with {host.names}.")
        return total([said, folded("What was added", note(host.shown))])


def check(path: Path, program: OwnProgram) -> None:
    """Raises InputError where a program can't be read; C# is read by its session (magics)."""
    if program.language == "python":
        try:
            compile(program.text, program.file, "exec")
        except SyntaxError as error:
            problem = f"is not Python: {error.msg} (line {error.lineno})"
            raise InputError(f"%%variant {program.name}", "", problem) from None
        return
    try:
        workbench.check_syntax(path, program.name)
    except InputError as error:
        problem = error.problem.replace(path.name, "line ").replace("line :", "line ")
        raise InputError(f"%%variant {program.name}", "", problem) from None
