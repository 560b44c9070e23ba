"""What to type on which platform to get what is missing. Standard library only."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from benchbook import loadtools
from benchbook_kernels.base import platforms
from benchbook_kernels.base.platforms import WINDOWS
from benchbook_kernels.install import remedies
from benchbook_kernels.install.remedies import INSTALL, package_manager

GERBIL = "brew install gerbil-scheme"
BROWSER_VARIABLE = "BENCHBOOK_CHROMIUM"
PLAYWRIGHT = ("node_modules/playwright-core/cli.js", "install", "chromium")
BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "chrome",
    "msedge",
)
MAC_BROWSERS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)

PACKAGES = {
    "nginx": {
        "apt": "nginx-light",
        "dnf": "nginx-core",
        "pacman": "nginx",
        "zypper": "nginx",
        "apk": "nginx",
        "brew": "nginx",
    },
    "mono": {
        "apt": "mono-mcs libmono-system-web-mvc3.0-cil libmono-system-web-http-webhost4.0-cil"
        " libmono-system-web-dynamicdata4.0-cil libmono-system-servicemodel-web4.0-cil"
        " libmono-system-data-datasetextensions4.0-cil libmono-system-xaml4.0-cil",
        "dnf": "mono-complete",
        "pacman": "mono",
        "zypper": "mono-complete",
        "apk": "mono",
        "brew": "mono",
    },
    "chromium": {
        "apt": "chromium fonts-dejavu-core",
        "dnf": "chromium",
        "pacman": "chromium",
        "zypper": "chromium",
        "apk": "chromium",
        "brew": "--cask google-chrome",
        "winget": "Google.Chrome",
    },
}
OTHERWISE = {
    "nginx": "nothing to do: variants behind nginx are shown as unavailable",
    "mono": "nothing to do: variants on Mono are shown as unavailable",
    "chromium": f"node {' '.join(PLAYWRIGHT)}",
}


# Debian's package starts nginx as a service on port 80, now and at each boot; we want the program
NO_SERVICE = "sudo systemctl disable --now nginx"
SBIN = "/usr/local/sbin:/usr/sbin"  # where nginx is, and what Debian leaves out of a user's PATH


def remedy(tool: str, route: str = "", manager: str | None = None) -> str:
    """The command that gets a tool on this machine."""
    if tool in remedies.PACKAGES:
        return remedies.remedy(tool, route, manager)
    manager = package_manager() if manager is None else manager
    load_tool = loadtools.declared().get(tool)
    packages = load_tool.packages if load_tool else PACKAGES.get(tool, {})
    package = packages.get(manager, "")
    if not package and load_tool:
        instead = f"nothing to do: another load generator serves where {tool} is absent"
        return instead if packages else load_tool.install
    if not package:
        return OTHERWISE.get(tool, f"install {tool}")
    command = f"{INSTALL[manager]} {package}"
    if manager == "apt" and tool == "nginx" and has_systemd():
        command += f" && {NO_SERVICE}"
    return platforms.for_this_user(command)


def has_systemd() -> bool:
    """Whether systemd runs this machine's services."""
    return Path("/run/systemd/system").is_dir()


def find_browser() -> str:
    """A Chromium-family browser on this machine; empty where there is none.

    BENCHBOOK_CHROMIUM, a path, is taken instead of what is found.
    """
    if given := os.environ.get(BROWSER_VARIABLE):
        return shutil.which(given) or ""
    for name in BROWSERS:
        if found := shutil.which(name):
            return found
    for path in MAC_BROWSERS:
        if Path(path).exists():
            return path
    if WINDOWS:
        for base in ("ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"):
            for tail in (
                r"Google\Chrome\Application\chrome.exe",
                r"Microsoft\Edge\Application\msedge.exe",
            ):
                place = Path(os.environ.get(base, "C:\\")) / tail
                if place.exists():
                    return str(place)
    return playwrights_browser()


def playwrights_browser() -> str:
    """The newest Chromium that Playwright downloaded; empty where there is none.

    https://playwright.dev/docs/browsers#managing-browser-binaries
    """
    usual = Path.home() / {"darwin": "Library/Caches", "win32": "AppData/Local"}.get(
        sys.platform, ".cache"
    )
    folder = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or usual / "ms-playwright")
    names = ("chrome", "chrome.exe", "*.app/Contents/MacOS/*")
    found = [p for n in names for p in folder.glob(f"chromium-*/chrome-*/{n}") if p.is_file()]
    return str(max(found, key=lambda path: path.stat().st_mtime)) if found else ""
