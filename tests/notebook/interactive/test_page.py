"""Which scripts of `#!javascript` are for the page, and which are for Node.js?"""

import pytest

from benchbook_kernels.notebook.interactive.page import is_for_page, with_values, without_texts


@pytest.mark.parametrize(
    "script",
    [
        "document.title = 'x'",
        "window.addEventListener('load', go)",
        "$(document).ready(go)",
        "all = [...document.querySelectorAll('p')]",
        "let count\ndocument.getElementById('n').innerText = count",
        "for (const a of all) { f(a, document.body) }",
        "element.append('text')",
        "element[0].innerText = 1",
        "alert('hello')",
        "interactive.registerCommandHandler(handler)",
        "require(['d3'], (d3) => d3.select('svg'))",
        "// a comment\n`text ${`${document.title}`}`",
        "s.replace(/[`'\"/]/g, ''); document.title = s",
    ],
)
def test_scripts_for_the_page(script):
    assert is_for_page(script)


@pytest.mark.parametrize(
    "script",
    [
        "[1, 2, 3].forEach(element => console.log(element * 2));",
        "[[1]].forEach((element, index) => console.log(element.length));",
        "for (const element of [[1]]) console.log(element.length)",
        "all.map(function (element) { return element.size })",
        'let msg = "open the window"; console.log(msg)',
        "// shows an alert (in the window.top)\nconsole.log(1)",
        "/* document.title\n */ console.log(`window.top \\` ${'document.title'} {`)",
        "/document.title/.test(text)",
        "const { document } = new JSDOM('').window; document.title",
        "import window from './window.js'\nwindow.open()",
        "function alert(text) { console.log(text) }\nalert(1)",
        "const alert = console.log; alert('x')",
        "typeof window === 'undefined'",
        "const sizes = { window: 3, document: 4 }; sizes.window",
        "console.log(element)",
        "const fs = require('fs')",
    ],
)
def test_scripts_for_node(script):
    assert not is_for_page(script)


def test_of_templates_only_the_code_in_them_is_left():
    script = "a `x ${ { b: `y ${c} '` } } z` + 'd' // e\n/ 2"
    assert without_texts(script).split() == "a { { b: {c } } } + / 2".split()


def test_a_script_is_given_the_values_that_it_uses_and_does_not_declare():
    script = "let own = 1; document.title = `${x} y` + o.z + own"
    values = {"x": "[1]", "y": "2", "z": "3", "own": "4"}
    assert with_values(script, values) == f"var x = [1];\n{script}"


def test_a_value_can_not_end_the_script_that_it_stands_in():
    script = with_values("alert(x)", {"x": '"</script>\u2028"'})
    assert script == 'var x = "\\u003c/script>\\u2028";\nalert(x)'
