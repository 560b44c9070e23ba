"""NuGet: which versions of a package its sources have."""

import json
import subprocess
from functools import cache

from benchbook.programs import npm
from benchbook_kernels.base import dotnet
from benchbook_kernels.base.errors import BenchError
from benchbook_kernels.base.running import run

ASK_SECONDS = 120.0


@cache
def versions(package: str) -> tuple[str, ...]:
    """The versions of a package that the sources have, in no order. Raises BenchError where that
    can't be found out."""
    words = ["dotnet", "package", "search", package, "--exact-match", "--prerelease"]
    try:
        done = run([*words, "--format", "json"], timeout=ASK_SECONDS, env=dotnet.QUIET)
        results = json.loads(done.stdout[done.stdout.index("{") :])["searchResult"]
        return tuple(each["version"] for source in results for each in source["packages"])
    except OSError:
        raise BenchError("the .NET SDK is not installed", "./bench doctor says how") from None
    except subprocess.TimeoutExpired:
        raise BenchError(
            f"NuGet did not say within {ASK_SECONDS:g} s if it has {package}"
        ) from None
    except (ValueError, KeyError):
        reason = npm.last(done.stderr) or npm.last(done.stdout)
        raise BenchError(f"NuGet does not say which {package} it has: {reason}") from None


def newest(package: str, wanted: str) -> str:
    """The newest version of a package that is meant by "2" or "2.5"; a whole one, as "2.5.307", is
    not asked for. Raises BenchError where there is none."""
    if npm.EXACT.fullmatch(wanted):
        return wanted
    every = versions(package)
    meant = [each for each in every if f"{each}.".startswith(f"{wanted}.")]
    released = [each for each in meant if "-" not in each or each == wanted]
    if not released:
        last = sorted(every, key=npm.order)[-4:]
        there = f"its newest are {', '.join(last)}" if last else "it has no package of that name"
        raise BenchError(f"NuGet here has no {package} {wanted}: {there}")
    return max(released, key=npm.order)
