"""How versions are typed, which are meant, and what is refused."""

import re

import pytest

from benchbook.compare.given.asked import Given
from benchbook.compare.versions import typed
from benchbook_kernels.base.errors import InputError

EVERY = ["16.0.0", "16.20.2", "17.1.0", "20.1.0", "20.10.3", "22.0.0", "26.0.0-rc.1", "26.1.0"]


def labels(**given):
    axis = typed.read(Given(**given))
    assert axis
    return typed.labels(axis, lambda: EVERY)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("22,16", ["16", "22"]),
        ("v20.10.3, 20.1.0", ["20.1.0", "20.10.3"]),
        ("16..22", ["16", "17", "20", "22"]),
        ("20.1..22", ["20.1.0", "20.10.3", "22.0.0"]),
        ("16.20.2..20.1.0", ["16.20.2", "17.1.0", "20.1.0"]),
    ],
)
def test_the_versions_that_are_meant_are_in_order(text, expected):
    assert labels(node=text) == expected


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"node": "20"}, "--node: names one version, 20.*name two or more: 20,"),
        ({"node": "20,x"}, "--node: 'x' is no version.*write numbers"),
        ({"node": "20,20"}, "--node: has '20' twice"),
        ({"node": "20,v20"}, "--node: has '20' twice"),
        ({"node": "20,,22"}, "--node: '20,,22' has an empty choice"),
        ({"node": "22..16"}, "--node: '22..16' is no range.*the older first: 16..22"),
        ({"node": "16..20..22"}, "a range has two ends"),
        ({"node": "30..40"}, "there are no two versions in 30..40"),
        ({"dotnet": "8..x"}, "--dotnet: 'x' is no version"),
        ({"node": "20,22", "dotnet": "8,9"}, "--dotnet: goes against --node"),
        ({"npm": "3,4"}, "--npm: '3' names no package.*write NAME=3,4"),
        ({"npm": "fastify=5"}, "--npm: 'fastify=5' names one version.*fastify|NAME=3,4"),
        ({"npm": "a=1,2,b=1,2"}, "--npm: .*names several of a and of b"),
        ({"npm": "a=1,2,a=3"}, "--npm: names a twice"),
        ({"npm": "a=1,2,b=x"}, "--npm: 'x' is no version"),
        ({"npm": "a=4,beta"}, "--npm: 'beta' is no version.*a=20,22"),
    ],
)
def test_what_makes_no_sense_is_told_with_its_field_and_a_remedy(given, said):
    with pytest.raises(InputError) as refused:
        labels(**given)
    assert re.search(said, str(refused.value).replace("\n", " ")), str(refused.value)


def test_one_package_has_the_axis_and_others_have_one_version():
    axis = typed.read(Given(nuget="MessagePack=2.5.307,3.1.12,MemoryPack=1.21.4"))
    assert axis
    assert (axis.package, axis.versions) == ("MessagePack", "2.5.307,3.1.12")
    assert axis.fixed == {"MemoryPack": "1.21.4"}
    scoped = typed.read(Given(npm="@hapi/hapi@20..21"))
    assert scoped and (scoped.package, scoped.versions) == ("@hapi/hapi", "20..21")


def test_the_newest_of_a_version_is_a_released_one():
    assert typed.newest("20", EVERY) == "20.10.3" and typed.newest("2", EVERY) == ""
    assert typed.newest("26", EVERY) == "26.1.0"
    assert typed.newest("26.0.0-rc.1", EVERY) == "26.0.0-rc.1"
