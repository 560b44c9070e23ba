"""The part of .NET Interactive's kernel object that public notebooks use."""

import json
import subprocess

import pytest
from csharp_bench import told

from benchbook_kernels.notebook.interactive import page
from made import package_for_newer_net

USINGS = "using Microsoft.DotNet.Interactive;\nusing Microsoft.DotNet.Interactive.Commands;\n"
DIAL = (
    USINGS
    + """\
using Microsoft.DotNet.Interactive.Directives;
public class ShowDial : KernelDirectiveCommand
{
    public int Hour { get; set; }
    public string Caption { get; set; }
    public bool Wide { get; set; }
}
var dial = new KernelActionDirective("#!dial")
{
    Description = "Shows a dial",
    Parameters =
    [
        new("--hour", "where the hand is") { Required = true },
        new("--caption"), new("--wide") { Flag = true }
    ]
};
Kernel.Root.AddDirective<ShowDial>(dial, (command, context) =>
{
    context.Display($"{command.Caption} {command.Hour} {command.Wide}");
    return Task.CompletedTask;
});
"""
)


def displayed(csharp, kind: str) -> list:
    return [data.get(kind) for _, data, *_ in csharp.output.displays]


def test_kernels_are_found_by_their_names(csharp):
    assert csharp.value('Kernel.Root.FindKernelByName("javascript").Name') == "javascript"
    assert csharp.value("Kernel.Current.Name + Kernel.Current.RootKernel") == "csharp.NET"
    assert "no kernel 'pwsh'" in told(csharp, 'Kernel.Root.FindKernelByName("pwsh")')


def test_code_is_sent_to_csharp_and_to_the_page(csharp):
    csharp.run(USINGS + 'await Kernel.Root.SendAsync(new SubmitCode("var sent = 6;\\nsent * 7"));')
    assert displayed(csharp, "text/plain") == ["42"]
    assert csharp.value("sent") == "6"
    csharp.run('await Kernel.Root.FindKernelByName("mermaid").SendAsync(new SubmitCode("pie"));')
    assert displayed(csharp, "text/vnd.mermaid") == ["pie"]
    csharp.run('await Kernel.Root.SendAsync(new SubmitCode("nope;", "csharp"));')
    assert "CS0103" in told(csharp, 'await Kernel.Root.SendAsync(new SubmitCode("nope"));')


def test_a_new_cell_is_shown_to_be_copied(csharp):
    csharp.run(USINGS + 'var _ = Kernel.Root.SendAsync(new SendEditableCode("fsharp", "x + 1"));')
    (shown,) = displayed(csharp, "text/markdown")
    assert "#!fsharp\nx + 1\n" in shown


def test_a_package_source_is_added_and_another_version_than_asked_is_told(
    open_csharp, tmp_path, monkeypatch
):
    name = package_for_newer_net(tmp_path)
    monkeypatch.setenv("NUGET_PACKAGES", str(tmp_path / "packages"))
    csharp = open_csharp()
    source = f'new AddPackageSource(@"{tmp_path}")'
    csharp.run(f'{USINGS}await Kernel.Root.FindKernelByName("csharp").SendAsync({source});')
    assert csharp.run(f"#r nuget: {name}, 0.9.0 // without quotes").status == "ok"
    said = csharp.output.text("stderr")
    assert f"{name} 1.0.0 was restored" in said and "0.9.0" in said
    csharp.run(f'#r "nuget: {name}, 1.0"')
    assert csharp.output.text("stderr") == ""


def test_a_source_without_quotes_is_one(own_csharp, tmp_path):
    error = told(own_csharp, f"#i nuget:{tmp_path}/nowhere // none\n#r nuget:No.Such.Benchbook")
    assert "nowhere" in error


def test_commands_of_a_cell_go_to_their_handler(csharp):
    csharp.run(
        USINGS
        + "public class Count : KernelCommand { public int[] Data { get; set; }\n"
        + '    public Count(string to = null) : base(to ?? "javascript") { } }'
    )
    csharp.run('Kernel.Root.FindKernelByName("javascript").RegisterCommandType<Count>();')
    csharp.run("await Kernel.Root.SendAsync(new Count { Data = [1, 2] });")
    (sent,) = displayed(csharp, "application/javascript")
    cell = (
        "kernel.root.findKernelByName('javascript').registerCommandHandler({commandType: 'Count',\n"
    )
    cell += "  handle: (c) => console.log(c.commandEnvelope.command.data.length)});"
    registers = page.bundle("javascript", cell, {})["application/javascript"]
    assert run_in_page(registers, sent) == "2"
    assert "run the cell that registers its handler" in run_in_page(sent)
    csharp.run(
        "Kernel.Root.RegisterCommandHandler<Count>((count, context) => {\n"
        "    context.Display(count.Data.Sum()); return Task.CompletedTask; });"
    )
    csharp.run("await Kernel.Root.SendAsync(new Count { Data = [1, 2] });")
    assert displayed(csharp, "text/plain") == ["3"]


def run_in_page(*scripts: str) -> str:
    """What scripts print, or show as their error, where a window is and no document."""
    code = "globalThis.window = globalThis; globalThis.element = { append: console.log };\n"
    code += "\n".join(f"eval({json.dumps(script)});" for script in scripts)
    done = subprocess.run(["node", "-e", code], capture_output=True, text=True, timeout=60)
    return done.stdout.strip() or done.stderr


@pytest.mark.parametrize(
    ("script", "printed"),
    [
        ("console.log(kernel.root.findKernelByName('javascript').name)", "javascript"),
        (
            "names = kernel.root.findKernels(k => true).length; console.log(names); return names;",
            "6",
        ),
        ("await kernel.root.send({commandType: 'SubmitCode', command: {code: '1'}})", "#!share"),
        (
            "const { SubmitCodeType } = polyglotNotebooks;\n"
            "const e = new polyglotNotebooks.KernelCommandEnvelope(SubmitCodeType, {});\n"
            "console.log(e.commandType)",
            "SubmitCode",
        ),
        ("got = await Promise.resolve('benchbookKernel' in window);\nconsole.log(got)", "false"),
        ("let kernel = polyglotNotebooks.SubmitCodeType; console.log(kernel)", "SubmitCode"),
    ],
)
def test_scripts_of_the_page_have_a_kernel_and_may_await(script, printed):
    assert page.is_for_page(script)
    assert printed in run_in_page(page.bundle("javascript", script, {})["application/javascript"])


def test_a_cell_adds_a_magic_command(csharp_kernel):
    assert csharp_kernel.run(DIAL).reply["status"] == "ok"
    cell = csharp_kernel.run('#!dial --hour 12 --caption "at noon" --wide')
    shown = [content["data"]["text/plain"] for content in cell.of("display_data")]
    assert shown == ["at noon 12 True"]
    assert "needs --hour" in csharp_kernel.run("#!dial").reply["evalue"]
    said = csharp_kernel.run("#!dial --minute 3").reply["evalue"]
    assert "no parameter --minute" in said and "where the hand is" in said
    assert "#!dials is not known here" in csharp_kernel.run("#!dials").reply["evalue"]


@pytest.mark.parametrize(
    "code", ["Kernel.Root.KernelEvents", "new SendValue(1)", "Kernel.Root.AddMiddleware(null)"]
)
def test_what_there_is_not_is_told_with_all_that_there_is(csharp, code):
    error = told(csharp, code)
    assert (
        "Kernel.Root" in error and "AddDirective" in error and "%engine csharp .net-csharp" in error
    )
