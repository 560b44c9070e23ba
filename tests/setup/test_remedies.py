"""What to type to get what is missing, and tools that set-up gets where it can."""

from pathlib import Path

import pytest
from fakes import as_root, fake

from benchbook.setup.steps import Environment
from benchbook.setup.tools import remedies, tools


@pytest.mark.parametrize(
    ("manager", "tool", "command"),
    [
        ("brew", "wrk", "brew install wrk"),
        ("brew", "ab", "brew install httpd"),
        ("dnf", "ab", "sudo dnf install httpd-tools"),
        ("apt", "nginx", "sudo apt-get install nginx-light"),
        ("brew", "nginx", "brew install nginx"),
        ("dnf", "nginx", "sudo dnf install nginx-core"),
        ("winget", "nginx", "nothing to do: variants behind nginx are shown as unavailable"),
        ("winget", "node", "winget install OpenJS.NodeJS.LTS"),
        ("winget", "wrk", "nothing to do: another load generator serves where wrk is absent"),
        ("", "node", "install Node.js 20 or newer: nodejs.org/en/download"),
    ],
)
def test_remedies_are_the_platforms_own_commands(monkeypatch, manager, tool, command):
    as_root(monkeypatch, False)
    monkeypatch.setattr(remedies, "has_systemd", lambda: False)
    assert remedies.remedy(tool, manager=manager) == command


def test_nginx_is_a_program_here_and_not_a_service(setup, debian, bin_dir, monkeypatch, tmp_path):
    """Debian's package starts it on port 80, where a whole network can reach it."""
    for module in (tools, remedies):
        monkeypatch.setattr(module, "has_systemd", lambda: True)
    monkeypatch.setattr(tools, "SBIN", str(tmp_path / "sbin"))
    as_root(monkeypatch, False)
    remedy = remedies.remedy("nginx", manager="apt")
    service = "systemctl disable --now nginx"
    assert remedy == f"sudo apt-get install nginx-light && sudo {service}"
    as_root(monkeypatch, True)
    assert remedies.remedy("nginx", manager="apt") == remedy.replace("sudo ", "")
    installs = f"\nmkdir -p {tmp_path}/sbin; cp {bin_dir}/apt-cache {tmp_path}/sbin/nginx"
    fake(bin_dir, "systemctl", f'echo "systemctl $*" >>{debian}')
    apt_get = (bin_dir / "apt-get").read_text()
    fake(bin_dir, "apt-get", f"PATH=/usr/bin:/bin; {apt_get}{installs}")
    tools.install_tools(setup, Environment("debian", Path("/python"), ""))
    calls = debian.read_text().splitlines()
    assert "nginx-light" in calls[0] and calls[1:] == [service]
    tools.install_tools(setup, Environment("debian", Path("/python"), ""))
    assert debian.read_text().count("systemctl") == 1, "one that was there is left as it is"


def test_remedies_do_not_offer_what_apt_does_not_have(bin_dir, monkeypatch):
    as_root(monkeypatch, False)
    fake(bin_dir, "apt-cache", 'echo "  Candidate: 18.20.4+dfsg-1"')
    assert "nodejs.org" in remedies.remedy("node", manager="apt")
    fake(bin_dir, "apt-cache", 'echo "  Candidate: (none)"')
    assert "dotnet-install.sh" in remedies.remedy("dotnet", manager="apt")
    fake(bin_dir, "apt-cache", 'echo "  Candidate: 22.1.0"')
    assert remedies.remedy("node", manager="apt") == "sudo apt-get install nodejs npm"


def test_a_browser_that_can_not_be_had_is_a_note(setup, bin_dir, monkeypatch):
    monkeypatch.setattr(tools, "find_browser", lambda: "")
    monkeypatch.setattr(tools, "has_apt", lambda: False)
    setup.options.with_browser = True
    tools.install_tools(setup, Environment("pip", Path("/python"), ""))
    assert any("Chromium is missing" in note for note in setup.notes)


def test_where_the_system_has_no_chromium_it_is_playwrights(setup, bin_dir, monkeypatch, tmp_path):
    driver = setup.root / "node_modules" / "playwright-core" / "cli.js"
    driver.parent.mkdir(parents=True)
    driver.write_text("")
    downloaded = tmp_path / "browsers" / "chromium-1200" / "chrome-linux64" / "chrome"
    fake(bin_dir, "node", f'/bin/mkdir -p "{downloaded.parent}"; echo "$@" >"{downloaded}"')
    for name in ("BENCHBOOK_CHROMIUM", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "browsers"))
    monkeypatch.setattr(tools, "has_apt", lambda: False)
    monkeypatch.setattr(remedies, "BROWSERS", ())
    setup.options.with_browser = True
    tools.install_tools(setup, Environment("pip", Path("/python"), ""))
    assert remedies.find_browser() == str(downloaded)
    assert "install chromium" in downloaded.read_text()
    assert not any("Chromium" in note for note in setup.notes)
