"""A C# program that runs with the switches of native AOT is told so, however that comes about."""

from dataclasses import replace

import pytest

from benchbook.commands.begin import checks
from benchbook.model import experiments
from benchbook.model.variants import Variant
from benchbook.programs import readiness

CODE = "System.Console.WriteLine(1);\n"
OFF, ON = "#:property PublishAot=false\n", "#:property PublishAot=true\n"


def project(value: str) -> str:
    return f"<Project><PropertyGroup><PublishAot>{value}</PublishAot></PropertyGroup></Project>"


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"a.cs": CODE}, "does not turn it off"),
        ({"a.cs": ON + CODE}, "Write #:property PublishAot=false"),
        ({"a.cs": f"// {OFF}{CODE}"}, "does not turn it off"),
        ({"a.cs": f"#:sdk Microsoft.NET.Sdk.Web\n{CODE}"}, "does not turn it off"),
        ({"a.cs": OFF + CODE}, ""),
        ({"a.cs": f"#:sdk Microsoft.NET.Sdk.Web\n#:property publishAOT = False\n{CODE}"}, ""),
        ({"a.cs": CODE, "Directory.Build.props": project("false")}, ""),
        ({"a.cs": ON + CODE, "Directory.Build.props": project("false")}, "PublishAot is on"),
        ({"a.cs": CODE, "Directory.Build.props": f"<!-- {project('false')} -->"}, "not turn it"),
        ({"a.cs": CODE, "a.csproj": project("true")}, ""),  # a part of the project
        ({"a.csproj": project("true")}, "PublishAot is on"),
        ({"a.csproj": project("false")}, ""),
        ({"a.csproj": "<Project />", "Directory.Build.props": project("TRUE")}, "is on"),
        ({"a.mono.cs": CODE}, ""),
        ({"a.js": ""}, ""),
    ],
)
def test_a_program_with_publish_aot_gets_a_remark(tmp_path, files, told):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    last = next(n for n in ("a.cs", "a.csproj", "a.mono.cs", "a.js") if n in files)
    variant = Variant("a", "A", tmp_path / last)
    remark = readiness.remark(variant)
    assert told in remark and bool(told) == bool(remark)
    assert readiness.remark(replace(variant, publish=True)) == "", "it is native on purpose"


def test_no_program_here_has_it_unintended():
    assert checks.check_switches() == []


def test_doctor_names_the_variants(monkeypatch, tmp_path):
    folder = next(f for f in experiments.folders() if f.name.startswith("02"))
    made = experiments.load(folder)
    path = tmp_path / "kestrel.cs"
    path.write_text(CODE)
    broken = [replace(v, path=path) if v.name == made.baseline else v for v in made.variants]
    monkeypatch.setattr(experiments, "folders", lambda: [folder])
    monkeypatch.setattr(experiments, "load", lambda _: replace(made, variants=tuple(broken)))
    (check,) = checks.check_switches()
    assert check.status == "warning" and not check.required
    assert check.found == f"02/{made.baseline}" and "LINQ" in check.needed_for
    assert check.remedy.startswith("Add the line #:property PublishAot=false")
