"""The serializers of experiment 07: the bytes of the real libraries, round trips, and bad input."""

import re
import subprocess

import pytest

from benchbook.model import experiments
from benchbook.programs import app_builds, packages
from benchbook.system import paths
from benchbook_kernels.base import builds

pytestmark = pytest.mark.slow("builds the serializers' checks")

PROJECT = paths.root() / "tests" / "snippets" / "serializers" / "Checks.csproj"
GOLDEN = paths.root() / "data" / "serializers" / "golden.json"
LIBRARIES = ("MessagePack", "MemoryPack", "Google.Protobuf", "Grpc.Tools")
SEED, ROUNDS = 20_230_127, 10_000


@pytest.fixture(scope="module")
def check():
    """check("golden", FILE): runs the C# checks; of the libraries, too, where NuGet has them."""
    return built(not any(packages.probe(*LIBRARIES).values()))


def built(with_libraries: bool, *versions: str):
    """What runs the checks, with packages in these versions ("MessagePackVersion=3.1.12")."""
    properties = [f"WithLibraries={str(with_libraries).lower()}", *versions]  # of Checks.csproj
    folder = builds.build_folder(PROJECT, properties)
    builds.build(PROJECT, "build", folder, lambda: None, properties)

    def run(*arguments: str) -> list[str]:
        command = ["dotnet", str(folder / "out" / "Checks.dll"), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        wrong = [line for line in done.stdout.splitlines() if line.startswith("wrong")]
        assert done.returncode == 0, "\n".join(wrong)[:3000] + done.stderr[-3000:]
        return done.stdout.splitlines()

    run.with_libraries = with_libraries
    return run


def test_the_bytes_of_the_real_libraries_are_written_exactly_and_read(check):
    said = check("golden", str(GOLDEN))
    for name in ("messagepack-by-hand", "messagepack-names-by-hand", "memorypack-by-hand"):
        for case in ("item 4", "array", "null array", "empty array", "null element"):
            assert f"right: {name}: {case}, written" in said
            assert f"right: {name}: {case}, read" in said
    assert ("right: memorypack: array, written" in said) == check.with_libraries
    assert said[-1].endswith(" 0 wrong")


def test_another_version_of_a_library_writes_the_same_bytes():
    (need,) = experiments.find("07/memory").variant("messagepack-3").needs
    names = [need.removeprefix("nuget:"), *LIBRARIES[1:]]
    if lacking := [reason for reason in packages.probe(*names).values() if reason]:
        assert all("NuGet" in reason for reason in lacking)  # so its variants say, too
        return
    said = built(True, *app_builds.versions([need]))("golden", str(GOLDEN))
    assert "right: messagepack: array, written" in said
    assert said[-1].endswith(" 0 wrong")


def test_forecasts_are_the_same_after_a_round_through_all_formats(check):
    said = check("round-trip")
    assert "right: 10000 forecasts in Japanese over all formats" in said
    assert said[-1].endswith(" 0 wrong")


def test_bad_input_gives_one_kind_of_exception_and_never_takes_much_memory(check):
    said = check("fuzz", str(SEED), str(ROUNDS))
    counts = {}
    for line in said:
        if match := re.match(r"right: (\S+): seed \d+: (\d+) read, (\d+) refused", line):
            counts[match[1]] = int(match[2]), int(match[3])
    assert set(counts) == {"messagepack-by-hand", "messagepack-names-by-hand", "memorypack-by-hand"}
    assert all(read > 100 and refused > ROUNDS for read, refused in counts.values()), counts
    assert said[-1].endswith(" 0 wrong")


def test_a_check_that_fails_is_told(check, tmp_path):
    golden = GOLDEN.read_text(encoding="utf-8").replace('"temperatureC": 25', '"temperatureC": 26')
    wrong = tmp_path / "golden.json"
    wrong.write_text(golden, encoding="utf-8")
    with pytest.raises(AssertionError, match="wrong: memorypack-by-hand: item 0, written"):
        check("golden", str(wrong))
