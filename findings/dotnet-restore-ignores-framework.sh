#!/bin/sh
# .NET SDK 10: `dotnet build -p:TargetFramework=net8.0` fails on a project for net10.0: the restore before it takes no notice.
#
# Guess: a property that is given on the command line wins over the project's own, in the restore and in the build, so that one
# project is built for .NET 8 and for .NET 10 to compare them.
# Seen: the restore gets packages for net10.0, and the build asks for those of net8.0 (NETSDK1005). Given TargetFrameworks=net8.0
# besides, both have net8.0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >a.csproj <<'XML'
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework></PropertyGroup>
</Project>
XML
echo 'System.Console.WriteLine(System.AppContext.TargetFrameworkName);' >a.cs
given='-p:TargetFramework=net8.0'
alone=$(TMPDIR=$folder dotnet build a.csproj -nologo -v quiet "$given" 2>&1 | grep -o NETSDK1005 | sort -u || true)
rm -rf obj bin
TMPDIR=$folder dotnet build a.csproj -nologo -v quiet "$given" -p:TargetFrameworks=net8.0 >both.txt 2>&1 || true
seen="alone: $alone; with TargetFrameworks: $(ls bin/Debug)"
expected='alone: NETSDK1005; with TargetFrameworks: net8.0'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
