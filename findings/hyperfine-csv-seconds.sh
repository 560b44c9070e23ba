#!/bin/sh
# hyperfine 1.15.0: --time-unit millisecond changes the Markdown file, and not the CSV file.
#
# Guess: a unit that is asked for is that of all files, or of none.
# Seen: the CSV file is in seconds, whose header does not name a unit; the Markdown file beside it, of the same run, in ms.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q hyperfine=1.15.0-2 >/dev/null 2>&1
dpkg-deb -x hyperfine_1.15.0-2_*.deb .
usr/bin/hyperfine -N --style none --runs 3 --time-unit millisecond --export-csv out.csv --export-markdown out.md 'sleep 0.05' >/dev/null 2>&1
seen=$(head -n 1 out.csv
awk -F, 'NR == 2 { print ($2 < 1 ? "seconds" : "milliseconds") }' out.csv
head -n 1 out.md)
expected='command,mean,stddev,median,user,system,min,max
seconds
| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
