"""Asks the databases of npm, NuGet and PyPI for known vulnerabilities of what Benchbook uses.

`python tools/find_vulnerabilities.py`: exit code 0 where every database was asked and none is
known, 1 where one is known, 2 where a database can't be had (it says which, and why). PyPI's is
asked by pip-audit (https://github.com/pypa/pip-audit), which set-up does not install.
"""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = ROOT / "packages/benchbook-kernels/src/benchbook_kernels/notebook/sessions/csharp_host"


def asked(command: list[str]) -> tuple[str, str]:
    """What a program prints, on standard output and as errors."""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    except FileNotFoundError:
        return "", f"{command[0]} is not installed"
    return done.stdout, (done.stderr or done.stdout).strip()


def parsed(text: str, key: str) -> dict:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if key in found else {}


def npm() -> tuple[list[str] | None, str]:
    text, errors = asked(["npm", "audit", "--json", "--package-lock-only"])
    found = parsed(text, "vulnerabilities")
    if not found:
        return None, errors
    return [f"{name}: {v['severity']}" for name, v in found["vulnerabilities"].items()], ""


def nuget() -> tuple[list[str] | None, str]:
    options = ["package", "--vulnerable", "--include-transitive", "--format", "json"]
    text, errors = asked(["dotnet", "list", str(PROJECT), *options])
    found = parsed(text, "projects")
    if not found:
        return None, errors
    packages = [
        package
        for project in found["projects"]
        for framework in project.get("frameworks", [])
        for kind in ("topLevelPackages", "transitivePackages")
        for package in framework.get(kind, [])
    ]
    return [
        f"{package['id']} {package['resolvedVersion']}: {v['severity']} {v['advisoryurl']}"
        for package in packages
        for v in package["vulnerabilities"]
    ], ""


def pypi() -> tuple[list[str] | None, str]:
    if not importlib.util.find_spec("pip_audit"):
        return None, "pip-audit is not installed: pip install pip-audit"
    command = [sys.executable, "-m", "pip_audit", "--format", "json", "-r", "requirements.txt"]
    text, errors = asked(command)
    found = parsed(text, "dependencies")
    if not found:
        return None, errors
    return [
        f"{package['name']} {package['version']}: {vulnerability['id']}"
        for package in found["dependencies"]
        for vulnerability in package.get("vulns", [])
    ], ""


def main() -> int:
    code = 0
    for name, ask in (("npm", npm), ("NuGet", nuget), ("PyPI", pypi)):
        known, why = ask()
        if known is None:
            print(f"{name}: can't be asked: {' '.join(why.split())[:300]}")
            code = code or 2
            continue
        print(f"{name}: {len(known)} known to the sources that are set up")
        for line in known:
            print(f"  {line}")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
