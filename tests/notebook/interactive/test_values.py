"""`#!share`, `#!set` and `#!value` carry values between languages, and from the reader."""

import pytest
from recorders import shown

pytestmark = pytest.mark.slow("starts a C# session")


def test_what_is_shared_with_javascript_reaches_the_page_and_node(kernel):
    kernel.run('var told = new[] { "a" };')
    script = "document.title = `The value is ${told} ${count}`;"
    share = "#!javascript\n#!share --from csharp told\n#!set --name count --value 3\n"
    cell = kernel.run(share + script)
    declared = 'var told = ["a"];\nvar count = 3;\n'
    assert shown(cell, "application/javascript") == [declared + script]
    assert shown(cell) == [script]
    assert kernel.run("#!javascript\ntold[0] + count").value == "'a3'"


@pytest.mark.parametrize("source", ["csharp", "node", "python"])
@pytest.mark.parametrize("into", ["csharp", "node", "python"])
def test_values_are_shared_between_languages(kernel, source, into):
    if source == into:
        return
    declare = {"csharp": "var sent = new[] { 1, 2, 40 };", "python": "sent = [1, 2, 40]"}
    last = {
        "csharp": "got.RootElement[2].GetInt32() + 2",
        "node": "got[2] + 2",
        "python": "got[2] + 2",
    }
    assert kernel.run(f"#!{source}\n{declare.get(source, 'var sent = [1, 2, 40]')}").reply[
        "status"
    ] == ("ok")
    cell = kernel.run(f"#!{into}\n#!share --from {source} sent --as got\n{last[into]}")
    assert cell.value == "42", cell.reply


@pytest.mark.parametrize(
    "source, code, into, last",
    [
        ("csharp", "var large = Enumerable.Range(0, 500_000).ToArray();", "node", "large.length"),
        (
            "node",
            "var large = Array.from({ length: 500_000 }, (_, i) => i)",
            "python",
            "len(large)",
        ),
    ],
)
def test_a_value_larger_than_a_cells_output_is_shared(kernel, source, code, into, last):
    kernel.run(f"#!{source}\n{code}")
    cell = kernel.run(f"#!{into}\n#!share --from {source} large\n{last}")
    assert cell.value == "500000", cell.reply


def test_numbers_that_json_lacks_are_shared_as_null(kernel):
    kernel.run("#!python\nx = [1.0, float('nan'), {'a': float('inf')}]")
    cell = kernel.run("#!node\n#!share --from python x\nJSON.stringify(x)")
    assert cell.value == "'[1,null,{\"a\":null}]'", cell.reply


def test_set_and_value(kernel):
    both = '#!set --name n --value 41\n#!set --name s --value "two words"'
    cell = kernel.run(both + '\n$"{n + 1} {s}"')
    assert cell.value == "42 two words"
    kernel.run("#!value --name text\nline one\nline two")
    cell = kernel.run("#!share --from value text\ntext.Split('\\n').Length")
    assert cell.value == "2"
    kernel.run("#!python\np = 'from python'")
    assert kernel.run("#!set --name q --value @python:p\nq").value == "from python"


def test_set_and_value_ask_the_reader(kernel, asked):
    cell, requests = asked('#!set --name answer --value @input:"How many?"\nanswer + 1', "@x 4")
    assert requests == [("How many?", False)]
    assert cell.value == "@x 41", cell.reply
    cell, requests = asked("#!value --name secret --from-value @password:token", "--007")
    assert requests == [("token", True)]
    assert kernel.run("#!share --from value secret\nsecret").value == "--007", cell.reply
    assert asked("#!set --name word --value=@input\nword", "w")[0].value == "w"
    cell, requests = asked("#!share --from python @input:x", "y")
    assert not requests and cell.reply["status"] == "error"


@pytest.mark.parametrize("options", [{"allow_stdin": False}, {"silent": True}])
def test_a_question_where_nobody_can_be_asked_says_so(kernel, options):
    reply = kernel.run("#!set --name none --value @input:x", **options).reply
    assert reply["status"] == "error" and "nobody can be asked" in reply["evalue"]
    assert kernel.run("1 + 1").value == "2"


def test_a_question_can_be_interrupted(kernel):
    def interrupt(_):
        kernel.manager.interrupt_kernel()

    code = "#!set --name none --value @input:x"
    reply = kernel.run(code, allow_stdin=True, stdin_hook=interrupt).reply
    assert reply["status"] == "error" and reply["ename"] == "KeyboardInterrupt"
    assert kernel.run("1 + 1").value == "2"


@pytest.mark.parametrize(
    "code, wanted",
    [
        ("#!share --from csharp no_such_variable", "no_such_variable"),
        ("#!share --from fsharp x", "fsharp"),
        ("#!share x", "--from"),
        ("#!set --name 1x --value 2", "not the name of a variable"),
        ("""#!set --name x --value @input:'{"prompt": "y"}'""", '@input:"a prompt"'),
        ("#!value --name v --from-file nowhere.txt", "nowhere.txt"),
        ("#!fsharp\nlet x = 1", "#!fsharp: F# can't run in Benchbook"),
        ("#!sql-sales\nselect 1", "#!sql-sales: SQL can't run in Benchbook"),
        ("#!clock", "#!clock is not known here"),
    ],
)
def test_a_line_that_cannot_be_done_says_why(kernel, code, wanted):
    cell = kernel.run(f"#!python\n{code}" if "no_such" in code else code)
    assert cell.reply["status"] == "error" and wanted in cell.reply["evalue"]
    assert kernel.run("1 + 1").value == "2"
