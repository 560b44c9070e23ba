#!/bin/sh
# hyperfine 1.15.0: what is left of a run after the shell's start is subtracted is never below 0.
#
# Guess: the start of the shell is subtracted from each run, so equal noise lies on both sides of 0
# for a command that does nothing, and the mean is about 0.
# Seen: runs that would be negative are written as 0, so the mean of `exit 0` lies above 0 by
# construction, and a ratio of two such commands says nothing. -N (no shell) has no such step.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q hyperfine=1.15.0-2 >/dev/null 2>&1
dpkg-deb -x hyperfine_1.15.0-2_*.deb .
usr/bin/hyperfine --style none --runs 200 --export-json times.json 'exit 0' >/dev/null 2>&1
seen=$(python3 -c '
import json
times = json.load(open("times.json"))["results"][0]["times"]
print("below 0:", sum(time < 0 for time in times), "exactly 0:", sum(time == 0 for time in times) > 1)')
expected='below 0: 0 exactly 0: True'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
