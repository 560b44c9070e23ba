"""Where notebooks carry values from one language to another, in plain sight: 05, 07, 08 and 09."""

import json
from types import SimpleNamespace

import pytest
from recorders import Client

from benchbook.model.experiments import find
from benchbook.notebook import editions, exercises
from benchbook.notebook.headless import execute
from benchbook.system import paths
from benchbook_kernels.notebook import cells

pytestmark = pytest.mark.slow("runs cells in two or three languages")

# What the serializers of notebook 07a are to these cells; it builds them from snippets/07.
SERIALIZERS = """
using System.IO;
public class WeatherForecast
{
    public DateTime Date { get; set; }
    public int TemperatureC { get; set; }
    public string Summary { get; set; }
}
public static class Forecasts
{
    static readonly DateTime First = new DateTime(639028530001234567, DateTimeKind.Utc);
    public static T[] Make<T>(int count) where T : WeatherForecast, new() => Enumerable
        .Range(0, count)
        .Select(i => new T
        {
            Date = First.AddDays(i),
            TemperatureC = i * 37 % 75 - 20,
            Summary = i % 2 == 0 ? "Freezing" : "凍える",
        })
        .ToArray();
}
public class MessagePackByHand
{
    public byte[] Serialize(WeatherForecast[] all) => [0x91, 0x93, 0xc0, 0xec, 0xa1, 0x61];
}
public class MemoryPackByHand
{
    public byte[] Serialize(WeatherForecast[] all)
    {
        var stream = new MemoryStream();
        var writer = new BinaryWriter(stream);
        writer.Write(all.Length);
        foreach (var each in all)
        {
            writer.Write((byte)(each is null ? 255 : 3));
            if (each is null) continue;
            var text = System.Text.Encoding.UTF8.GetBytes(each.Summary);
            writer.Write((ulong)each.Date.Ticks | 1UL << 62);
            writer.Write(each.TemperatureC);
            writer.Write(~text.Length);
            writer.Write(each.Summary.Length);
            writer.Write(text);
        }
        return stream.ToArray();
    }
}
"""


def notebook(number: str):
    (path,) = paths.notebooks().glob(f"{number}-*.ipynb")
    return execute.read(path)


def source(number: str, name: str) -> str:
    return next(cell.source for cell in notebook(number).cells if cell.id == name)


def text(cell) -> str:
    """What a cell shows, its error included."""
    found = [*cell.of("execute_result"), *cell.of("display_data")]
    shown = [each["data"]["text/plain"] for each in found]
    return "\n".join([*shown, cell.text("stdout"), *cell.reply.get("traceback", [])])


def test_at_least_four_notebooks_have_a_value_that_crosses():
    crossing = {
        path.name
        for path in paths.notebooks().glob("*.ipynb")
        for cell in execute.read(path).cells
        if cell.cell_type == "code" and "\n#!share --from " in cell.source
    }
    assert len(crossing) >= 4


def test_lines_of_commands_go_with_a_cell_of_another_language():
    found = cells.split("%%node\n#!share --from csharp x\nx + 1", "csharp")
    assert [(part.language, part.into, part.line) for part in found] == [
        ("directive", "node", 1),
        ("node", "", 2),
    ]
    (plain,) = cells.split("%%node\nx + 1 // #!share", "csharp")
    assert (plain.language, plain.code) == ("node", "x + 1 // #!share")


def test_json_of_two_languages_has_other_bytes_and_the_same_value(kernel: Client):
    told = text(kernel.run(source("05", "cross-compared")))
    assert told.count("True") > told.count("False") > 0, told
    assert "\\u00FC" in told and '{"hello":"world"}' in told


def test_a_pattern_of_two_languages_lets_other_paths_in(kernel: Client):
    assert kernel.run(source("08", "cross-made")).reply["status"] == "ok"
    told = text(kernel.run(source("08", "cross-compared")))
    rows = [
        line.split() for line in told.splitlines() if "/tems" in line or "items" in line.lower()
    ]
    differ = [row for row in rows if row[-1] == "False"]
    assert len(rows) == 6 and len(differ) == 2, told


def test_a_text_of_two_languages_is_bound_to_other_values(csharp_kernel: Client):
    csharp_kernel.run("public enum Size { One = 1, Ten = 10, Hundred = 100 }")
    assert csharp_kernel.run(source("09", "cross-made")).reply["status"] == "ok"
    told = text(csharp_kernel.run(source("09", "cross-compared")))
    same = [line for line in told.splitlines() if "true" in line]
    other = [line for line in told.splitlines() if "false" in line]
    assert len(same) == 6 and len(other) == 3, told


def checked(kernel: Client) -> list[str]:
    """What exercise 1 of notebook 07a still lacks, of what the kernel's C# session holds."""

    def value(name: str):
        shared = kernel.run(f"#!python\n#!share --from csharp {name} --as crossed\n1")
        assert shared.reply["status"] == "ok", shared.reply
        told = kernel.run("%%python\nimport json; json.dumps(crossed)").value
        return json.loads(eval(told))  # noqa: S307  # Python's own repr of a text

    check = exercises.load(find("07/memory"))[1]
    return list(check(SimpleNamespace(value=value)) or ())


def test_bytes_from_csharp_are_read_in_javascript_and_come_back(csharp_kernel: Client):
    kernel = csharp_kernel
    assert kernel.run(SERIALIZERS).reply["status"] == "ok"
    written, compared = source("07a", "cross-write"), source("07a", "cross-x2-compared")
    for code in (written, source("07a", "cross-x2"), compared):
        cell = kernel.run(code)
        assert cell.reply["status"] == "ok", text(cell)
    said = checked(kernel)
    assert "no null among the ten" in said[0] and "The date of forecast 0" in said[1]
    boxes = kernel.run(source("07a", "cross-boxes")).of("execute_result")[0]["data"]["text/html"]
    assert boxes.count('title="text"') == 3 and "46 72 65 65 7a 69 6e 67" in boxes  # Freezing
    solution = editions.exercises(notebook("07a"), "07a")[1].code
    assert kernel.run(solution[0]).reply["status"] == "ok"
    unmended = kernel.run(source("07a", "cross-x2"))  # a null breaks it, one way or another
    assert unmended.reply["status"] == "error" or checked(kernel)
    for code in solution:
        cell = kernel.run(code)
        assert cell.reply["status"] == "ok", text(cell)
    assert checked(kernel) == []
    assert "False" not in text(cell)
