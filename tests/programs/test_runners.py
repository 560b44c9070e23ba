"""What a reader is told when a .NET program can't be built, and how programs are run by hand."""

import pytest

from benchbook.model import experiments
from benchbook.programs import builds, runners


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        (
            "  Determining projects to restore...\n/me/a.csproj : error NU1101: Unable to find "
            "package Not.There. No packages exist with this id in source(s): nuget.org",
            "NuGet here has no package Not.There (NU1101)",
        ),
        (
            "/me/a.csproj : error NU1102: Unable to find package Some with version (>= 3)",
            "NuGet here has no package Some (NU1102)",
        ),
        (
            "/me/a.csproj : error NU1202: Package Carter 11.0.0 is not compatible with net10.0 "
            "(.NETCoreApp,Version=v10.0). Package Carter 11.0.0 supports: net11.0",
            "NuGet: Package Carter 11.0.0 is not compatible with net10.0 "
            "(.NETCoreApp,Version=v10.0) (NU1202)",
        ),
        (
            "/home/me/a.cs(7,13): error CS1002: ; expected [/home/me/a.cs.csproj]",
            "a.cs(7,13): error CS1002: ; expected",
        ),
        (
            "C:\\Users\\me\\a.csproj : error MSB4025: The project file could not be loaded.",
            "a.csproj: error MSB4025: The project file could not be loaded.",
        ),
        ("", "it printed nothing"),
    ],
)
def test_the_first_error_is_told_without_the_paths_of_this_machine(printed, told):
    assert builds.first_error(printed) == told


def test_every_variant_can_be_run_by_hand():
    for experiment in experiments.load_all():
        for variant in experiment.variants:
            line = runners.find(variant.path).by_hand(variant)
            assert f"snippets/{experiment.home.name}/" in line, variant.name
