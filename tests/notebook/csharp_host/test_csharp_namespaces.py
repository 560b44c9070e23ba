"""Namespaces and extension classes in cells: they become libraries, and may be declared again."""


def test_a_namespace_that_a_later_cell_uses_can_be_declared_again(csharp):
    csharp.run('namespace Shop { class Item { public string Name = "pen"; } }')
    csharp.run("var item = new Shop.Item();")
    csharp.run('namespace Shop { class Item { public string Name = "book"; } }')
    assert csharp.value("new Shop.Item().Name + item.Name") == "bookpen"


def test_a_global_using_goes_with_later_namespaces(csharp):
    csharp.run(
        "global using Numbers = System.Collections.Generic.List<int>;\nvar n = new Numbers { 7 };"
    )
    assert (
        csharp.run("namespace Globe { class Map { public Numbers All = [1, 2]; } }").status == "ok"
    )
    again = (
        "global using System.Globalization;\n"
        "namespace Globe { class Name { public string It = CultureInfo.InvariantCulture.Name; } }"
    )
    assert csharp.run(again).status == "ok"
    assert csharp.value("new Globe.Map().All.Count + n[0] + new Globe.Name().It.Length") == "9"


def test_an_extension_class_that_a_later_cell_uses_can_be_declared_again(csharp):
    csharp.run("static class Ext { public static int Times(this int n) => 2 * n; }")
    csharp.run("var four = 2.Times();")
    csharp.run("static class Ext { public static int Times(this int n) => 3 * n; }")
    assert csharp.value("2.Times() + four") == "10"


def test_types_that_are_not_declared_again_stay_and_use_those_that_are(csharp):
    csharp.run(
        "using Sums = System.Collections.Generic.List<int>;\n"
        "namespace Park { class Cat { public int Legs = 4; } delegate Sums Count(Cat cat);\n"
        "class Dog { public Cat Foe = new(); public int Fail() => throw new Exception(); } }"
    )
    declared = csharp.count
    csharp.run("var dog = new Park.Dog();")
    csharp.run("namespace Park { class Cat { public int Legs = 3; } }")
    assert csharp.value("new Park.Dog().Foe.Legs * 10 + dog.Foe.Legs") == "34"
    assert csharp.value("Park.Count count = cat => [cat.Legs];\ncount(new())") == "[ 3 ]"
    assert f"in cell {declared}, line 3" in "\n".join(
        csharp.error("new Park.Dog().Fail()").traceback
    )


def test_a_namespace_that_uses_another_keeps_its_version_until_it_is_run_again(csharp):
    zoo = "namespace Meadow {{ class Cat {{ public int Legs = {}; }} }}"
    farm = "namespace Farm { class Barn { public Meadow.Cat Cat = new(); } }"
    csharp.run(zoo.format(4))
    csharp.run(farm)
    csharp.run("var barn = new Farm.Barn();")
    csharp.run(zoo.format(3))
    assert csharp.value("new Farm.Barn().Cat.Legs") == "4"
    csharp.run(farm)
    assert csharp.value("new Farm.Barn().Cat.Legs") == "3"


def test_a_cell_that_declares_types_of_several_anew_replaces_them_all(csharp):
    csharp.run("namespace A { class One { public int N = 1; } class Other { public int N = 10; } }")
    csharp.run("namespace B { class Two { public int N = 2; } }")
    csharp.run("var sum = new A.One().N + new B.Two().N;")
    both = "namespace A {{ class One {{ public int N = {0}; }} }}\n"
    both += "namespace B {{ class Two {{ public int N = {0}; }} }}"
    for n in (5, 7):
        assert csharp.run(both.format(n)).status == "ok"
        assert csharp.value("new A.One().N + new B.Two().N + new A.Other().N") == str(2 * n + 10)
    assert csharp.value("sum") == "3"


def test_a_type_that_does_not_go_with_what_is_declared_anew_is_dropped(csharp):
    csharp.run(
        "namespace Forest { class Cat { public int Legs = 4; }"
        " class Dog { public int N = new Cat().Legs; } }"
    )
    csharp.run("namespace Forest { class Cat { public int Paws = 3; } }")
    assert csharp.value("new Forest.Cat().Paws") == "3"
    assert "Dog" in csharp.error("new Forest.Dog()").evalue
