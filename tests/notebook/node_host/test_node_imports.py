"""Imports in cells: every form, from where they are found, and what they are rewritten to."""

import json
import subprocess

import pytest

from benchbook.system import paths
from benchbook_kernels.notebook.sessions import node

IMPORTS = node.HOST.with_name("imports.mjs")
ROOT = paths.root()


@pytest.fixture
def project(tmp_path):
    """A project with a package, and a notebook's directory beside it with a module."""

    def package(name: str, **files: str) -> None:
        directory = tmp_path / "project" / "node_modules" / name
        directory.mkdir(parents=True)
        settings = {"name": name, "exports": {"import": "./index.mjs", "require": "./index.cjs"}}
        (directory / "package.json").write_text(json.dumps(settings))
        (directory / "index.mjs").write_text(files["mjs"])
        (directory / "index.cjs").write_text(files["cjs"])

    package("greeter", mjs="export const kind = 'esm'", cjs="exports.kind = 'cjs'")
    package("broken", mjs="import 'not-there'", cjs="require('not-there')")
    notebooks = tmp_path / "elsewhere"
    notebooks.mkdir()
    (notebooks / "own.mjs").write_text("export default 'd'; export const a = 1, b = 2")
    (notebooks / "own.cjs").write_text("module.exports = { c: 3 }")
    (notebooks / "data.json").write_text('{"n": 5}')
    (notebooks / "wrong.mjs").write_text("const = 1")
    return tmp_path


@pytest.fixture
def node(open_session, project):
    return open_session(str(project / "elsewhere"), root=str(project / "project"))


def test_require_finds_builtins_packages_and_files(node):
    code = "[require('node:path').sep, require('greeter').kind, require('./own.cjs').c]"
    assert node.value(code) == "[ '/', 'cjs', 3 ]"
    assert node.value("require('./data.json').n") == "5"
    assert node.value("require.resolve('fs')") == "'fs'"


@pytest.mark.parametrize(
    "code, shown",
    [
        ("import fs from 'node:fs'; typeof fs.readFileSync", "'function'"),
        ("import { kind } from 'greeter'\nkind", "'esm'"),
        ("import d, { a, b as bee } from './own.mjs'; [d, a, bee]", "[ 'd', 1, 2 ]"),
        ("import * as all from './own.mjs'; all.a + all.b", "3"),
        ("import d, * as all from './own.mjs'; d + all.a", "'d1'"),
        ("import {\n  a,\n  b,\n} from './own.mjs'\na + b", "3"),
        ("import './own.mjs'", None),
        ("import data from './data.json' with { type: 'json' }; data.n", "5"),
        ("(await import('greeter')).kind", "'esm'"),
        ("(await import('./own.mjs')).default", "'d'"),
        ("const load = () => import('./own.mjs'); (await load()).a", "1"),
        ("'import x from y'.length", "15"),
        ("`${(await import('./own.mjs')).a} import('x')`", "'1 import('x')'"),
        ("/import('x')/.source", "\"import('x')\""),
        ("// import x from 'y'\n1", "1"),
        ("({ import: 1 }).import", "1"),
    ],
)
def test_imports(node, code, shown):
    value = node.value(code)
    assert value == shown or value == shown.replace("'1 import('x')'", "\"1 import('x')\"")


@pytest.mark.parametrize(
    "code, then, shown",
    [
        ("export const a = 5", "a", "5"),
        ("export let { b, c: [d] } = { b: 1, c: [2] }, e = 3", "[b, d, e]", "[ 1, 2, 3 ]"),
        ("1\nexport default 1 + 1", "", "2"),
        ("1\nexport default (1, 2)", "", "2"),
        ("const o = 1\nexport default { o }", "", "{ o: 1 }"),
        ("export default function f() { return 4 }", "f()", "4"),
        ("export default class F { g = 5 }", "new F().g", "5"),
        ("export default class {\n  g = 6\n}", "", "[class (anonymous)]"),
        ("export async function h() { return 7 }", "await h()", "7"),
        ("export function* i() { yield 8 }", "[...i()]", "[ 8 ]"),
        ("export { j, k as l };\nconst j = 1, k = 2\nj + k // both", "l", "2"),
        ("const m = 1\nexport { m as default, m as 'any text', m as n }", "n", "1"),
        ("const q = 1, r = 2\nexport { q as r }", "r", "2"),
        ("const _ = 5\nexport { _ }", "_", "5"),
        ("export { default as s, a as t } from './own.mjs'", "s + t", "'d1'"),
        ("export * as u from './own.mjs'", "u.b", "2"),
        ("export * from 'node:path'", "join('v', 'w')", "'v/w'"),
        ("export { default } from './own.mjs' // x\nexport const y = 1", "y", "1"),
        ("export const z = (await import('./own.mjs')).a", "z", "1"),
        ("({ export: 1 }).export", "'export { a }'", "'export { a }'"),
        ("export const url = import.meta.url", "url === import.meta.url", "true"),
        ("[import.meta.dirname === process.cwd(), import.meta.main]", "", "[ true, true ]"),
    ],
)
def test_a_pasted_module_declares_what_it_exports(node, code, then, shown):
    assert [node.value(code), then and node.value(then)][bool(then)] == shown


def test_wrong_exports_are_clear_errors(node):
    node.run("const gone = 1")
    assert node.value("5\nexport { gone }") == "5"
    assert "nowhere is not defined" in node.error("export { nowhere }").evalue
    assert "named 'nope'" in node.error("export { nope } from './own.mjs'").evalue
    error = node.error("export default nothing")
    assert "cell 5:1\nexport default nothing\n" in "\n".join(error.traceback)
    node.run("export * from 'node:process'")
    assert node.value("typeof process.argv") == "'object'"


def test_imported_names_persist(node):
    node.run("import { a } from './own.mjs'")
    node.run("import { a } from './own.mjs'")
    assert node.value("a") == "1"


def test_wrong_imports_are_clear_errors(node):
    assert "export named 'nope'" in node.error("import { nope } from './own.mjs'").evalue
    missing = node.error("import x from 'missing-package'")
    assert "Cannot find package 'missing-package'" in missing.evalue
    assert "elsewhere" in missing.evalue
    assert "Cannot find module './gone.cjs'" in node.error("require('./gone.cjs')").evalue
    assert "not-there" in node.error("await import('broken')").evalue
    assert node.error("import './wrong.mjs'").ename == "SyntaxError"
    assert node.value("1 + 1") == "2"


def test_lines_stay_where_they_are(node):
    result = node.error("import {\n  a,\n} from './own.mjs'\n\n  throw new Error('here')")
    assert "cell 1:5:9" in "\n".join(result.traceback)
    result = node.error("await import('./own.mjs'); throw new Error('here')")
    assert "cell 2:1:34" in "\n".join(result.traceback)


def test_nothing_is_said_about_experimental_loaders(node):
    node.run("await import('greeter')")
    assert node.output.text("stderr") == ""


def rewrite(code: str, acorn: bool) -> str:
    """The rewritten code, with or without the parser."""
    script = """
        const { rewriteImports } = await import(process.argv[1]);
        const { createRequire } = await import('node:module');
        const [file, code, acorn, root] = process.argv.slice(1);
        const load = () => (acorn ? createRequire(root + '/x.js')('acorn') : undefined);
        process.stdout.write(rewriteImports(code, load));
    """
    return subprocess.run(
        ["node", "--input-type=module", "-e", script, str(IMPORTS), code, acorn and "1" or ""]
        + [str(ROOT)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout


@pytest.mark.parametrize("acorn", [True, False], ids=["parser", "no parser"])
def test_the_rewriting_with_and_without_the_parser(acorn):
    """One cell with every difficulty, since each rewriting starts Node.js."""
    code = "\n".join(
        [
            "import a, { b as c, default as e } from 'x'; import('y')",
            "import * as n from \"z\" with { type: 'json' }",
            "import 'side'",
            "const s = 'import(1)' + \"import q from 'r'\" + `import(2) ${ {k: import('t')} }`",
            "const r = /import('u')/g.test(s) ? s / 2 / import('v') : o.import('w')",
            "/* import 'b' */ // import('c')",
            "const f = () => { return /[/]import(3)/ }",
            "export const g = import.meta.url; 'export const h = 1'",
            "export default async function i() { return o.export }",
        ]
    )
    assert rewrite(code, acorn).split("\n") == [
        'const { "default": a, "b": c, "default": e }'
        ' = await impørt.names("x", ["default","b","default"]);'
        " impørt('y')",
        'const n = await impørt("z", { with: {"type":"json"} });'.replace(
            '{"type":"json"}', '{"type":"json"}' if acorn else "{ type: 'json' }"
        ),
        'void (await impørt("side"));',
        "const s = 'import(1)' + \"import q from 'r'\" + `import(2) ${ {k: impørt('t')} }`",
        "const r = /import('u')/g.test(s) ? s / 2 / impørt('v') : o.import('w')",
        "/* import 'b' */ // import('c')",
        "const f = () => { return /[/]import(3)/ }",
        "       const g = impørt.meta.url; 'export const h = 1'",
        "               async function i() { return o.export }",
    ]
