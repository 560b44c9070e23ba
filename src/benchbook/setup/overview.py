"""The commands in one place: what they are called, where they are, what each does in a sentence.

`./bench --help` prints this table, before set-up, too, and imports nothing else for it: the
sentences stand here and not in the commands, whose modules take long to import. A test keeps them
equal.
"""

from __future__ import annotations

# (group, its folder in commands/): {name: (its module there, what it does)}, in the order in which
# people meet them.
GROUPS = {
    ("Begin", "begin"): {
        "setup": ("setup", "Install what is missing; any first command does it, too."),
        "doctor": ("diagnosis", "Say what is there, what is missing, what disturbs a race."),
        "list": ("listing", "List the experiments, or the variants of one."),
        "lab": ("lab", "Open the notebooks in JupyterLab, or in Notebook."),
    },
    ("Measure", "measure"): {
        "compare": ("compare", "Compare two things of your own: servers, functions, commands."),
        "race": ("race", "Race the variants of an experiment and judge its claim."),
        "bisect": ("bisect", "Find the version with which a statement of a claim turns."),
        "why": ("why", "Say which functions cost the microseconds by which B differs from A."),
        "verdict": ("verdict", "Say what the last race that counts says of each statement."),
        "run": ("run", "Execute notebooks and print the scoreboard."),
        "page": ("page", "Serve the web page of experiment 07, or load it itself."),
        "selfcheck": ("selfcheck", "Check that Benchbook keeps its promises."),
    },
    ("Make your own", "own"): {
        "new": ("new", "Make an experiment of your own, which runs at once."),
        "check": ("check", "Check that an experiment is ready for others."),
    },
    ("Show and share", "share"): {
        "report": ("report", "Write a static site of what was run."),
        "share": ("share", "Write your newest races to one file that names nobody."),
        "room": ("room", "Pool the run files of many machines on one figure."),
    },
    ("Take elsewhere", "elsewhere"): {
        "export": ("export", "Write the notebooks without solutions, solved, or as slides."),
        "convert": ("convert", "Make notebooks of .NET Interactive run in Benchbook."),
        "kernels": ("kernels", "Install the notebook kernels for Jupyter, or remove them."),
        "bundle": ("bundle", "Put all that set-up fetches into one folder."),
    },
    ("Maintain", "maintain"): {
        "clean": ("clean", "Remove what can be made again."),
        "test": ("test", "Run the project's own tests."),
    },
}
COMMANDS = {
    name: (f"{folder}.{module}", does)
    for (_, folder), group in GROUPS.items()
    for name, (module, does) in group.items()
}
ABOUT = "Benchbook takes a benchmark finding from a blog, runs its code, and gives a verdict."
ASK_FOR_HELP = ("-h", "--help")


def text(note: str = "") -> str:
    """The whole help; note: a sentence at its end."""
    width = max(map(len, COMMANDS)) + 2
    lines = ["Usage: ./bench COMMAND [ARGS]", "", ABOUT]
    for (title, _), commands in GROUPS.items():
        told = (f"  {name:<{width}}{says}" for name, (_, says) in commands.items())
        lines += ["", f"{title}:", *told]
    lines += ["", "./bench COMMAND --help tells more; ./bench --version says which this is."]
    return "\n".join([*lines, *([note] if note else []), ""])


def asked(arguments: list[str]) -> list[str]:
    """`help race` as `race --help`."""
    return [*arguments[1:], "--help"] if arguments[:1] == ["help"] else arguments


def is_help(arguments: list[str]) -> bool:
    """Is the whole command line a question for help?"""
    return not arguments or arguments[0] in ASK_FOR_HELP and len(arguments) == 1


def unknown(word: str) -> str:
    """What is wrong with a command that there is not, and what may have been meant."""
    from benchbook_kernels.base.nearest import did_you_mean  # only where a name is wrong

    if word.isdigit():
        return f"no command '{word}'; did you mean './bench run {word}'?"
    return f"no command '{word}'{did_you_mean(word, [*COMMANDS, 'help'])}"
