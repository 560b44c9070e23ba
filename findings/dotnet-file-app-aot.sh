#!/bin/sh
# .NET SDK 10: a file-based app that is only built and run has the switches of native AOT: no dynamic code, LINQ made for size.
#
# Guess: `dotnet run app.cs` runs the same .NET as a project with the same code; PublishAot matters when one publishes.
# Seen: it is on by default, and a build, too, sets the runtime's switches. Nothing is said. Expressions are interpreted, and
# the fast paths of LINQ are gone, so a program in one file is compared with another .NET than the one that servers run on.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir app project
cat >app/app.cs <<'CS'
using System.Runtime.CompilerServices;

AppContext.TryGetSwitch("System.Linq.Enumerable.IsSizeOptimized", out var small);
Console.WriteLine($"dynamic code {RuntimeFeature.IsDynamicCodeSupported}, LINQ made for size {small}");
CS
cp app/app.cs project
cat >project/project.csproj <<'XML'
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>net10.0</TargetFramework>
    <ImplicitUsings>enable</ImplicitUsings>
  </PropertyGroup>
</Project>
XML
seen="app.cs: $(cd app && dotnet run -c Release app.cs)
project: $(cd project && dotnet run -c Release)"
expected='app.cs: dynamic code False, LINQ made for size True
project: dynamic code True, LINQ made for size False'
printf '.NET SDK %s\n%s\n' "$(dotnet --version)" "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
