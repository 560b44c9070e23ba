"""What C# cells ask the reader, and values on their way in and out."""

import json

import pytest
from recorders import TIMEOUT_SECONDS

from benchbook_kernels.notebook.sessions.session import SHARED_TYPE


def test_read_line_asks_the_reader(csharp):
    future = csharp.submit("Console.ReadLine() + Console.ReadLine()")
    csharp.output.answers.extend(["a", "b"])
    assert future.result(TIMEOUT_SECONDS).data["text/plain"] == "ab"


def test_a_password_is_asked_for_without_showing_it(csharp):
    asked = []
    future = csharp.submit('password("Key: ")')
    csharp.output.input = lambda prompt, password: asked.append((prompt, password)) or "secret"
    assert future.result(TIMEOUT_SECONDS).data["text/plain"] == "secret"
    assert asked == [("Key: ", True)]


def test_a_kernel_asks_as_net_interactives_does(csharp):
    running = csharp.submit(
        'var name = await Kernel.GetInputAsync("Who?");\n'
        'var secret = await Microsoft.DotNet.Interactive.Kernel.GetPasswordAsync("Word?");\n'
        '$"{name} {secret} {secret.GetClearTextPassword()}"'
    )
    csharp.output.answers += ["Ada", "abc"]
    assert running.result(TIMEOUT_SECONDS).data["text/plain"] == "Ada *** abc"


def test_a_type_may_be_called_kernel(own_csharp):
    own_csharp.run("namespace Popcorn { public class Kernel { public int Size = 4; } }")
    assert own_csharp.value("using Popcorn;\nnew Kernel().Size") == "4"
    assert own_csharp.value("Kernel later = new();\nlater.Size") == "4"


@pytest.mark.parametrize("value", [1, 2**40, 1.5, 'a"b\n', True, [1, 2], {"a": [1, {"b": None}]}])
def test_values_go_in_and_come_out_as_json(csharp, value):
    assert csharp.run(csharp.session.import_code("given", json.dumps(value))).status == "ok"
    exported = csharp.run(csharp.session.export_code("given"))
    assert json.loads(exported.data[SHARED_TYPE]) == value


def test_what_is_not_finite_comes_out_as_null(csharp):
    csharp.run(
        "var all = new { A = new[] { 1.5, double.NaN }, B = float.PositiveInfinity, "
        "C = (double?)0.1, D = new Dictionary<double, Half> { [0.5] = Half.NaN } };"
    )
    exported = csharp.run(csharp.session.export_code("all"))
    wanted = {"A": [1.5, None], "B": None, "C": 0.1, "D": {"0.5": None}}
    assert json.loads(exported.data[SHARED_TYPE]) == wanted
