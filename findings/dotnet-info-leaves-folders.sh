#!/bin/sh
# .NET SDK 10: `dotnet --info` leaves two empty folders in the temporary folder, each time; `dotnet --list-runtimes` none.
#
# Guess: a command that only prints what is installed leaves nothing behind.
# Seen: it reads the workloads, for which it makes temporary folders and does not remove them, like `dotnet workload list`. A
# tool that asks it at each start, as for the name of the system, fills the temporary folder.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
left() {
  mkdir "$folder/tmp"
  TMPDIR="$folder/tmp" "$@" >/dev/null
  find "$folder/tmp" -mindepth 1 -type d -empty | wc -l
  rm -rf "$folder/tmp"
}
seen="dotnet --info: $(left dotnet --info)
dotnet --list-runtimes: $(left dotnet --list-runtimes)"
expected='dotnet --info: 2
dotnet --list-runtimes: 0'
printf '.NET SDK %s, empty folders left by\n%s\n' "$(dotnet --version)" "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
