#!/bin/sh
# Miller 6.6.0 (mlr, Debian 12): the median of 1, 2, 3, 4 is 3.
#
# Guess: 2.5, as everywhere, or 2, the lower of the two in the middle.
# Seen: the upper one, and p90 of 1 to 10 is 10, unless -i asks to interpolate. Of two launches of a benchmark "the median" is
# the slower.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q miller=6.6.0-2+b3 >/dev/null 2>&1 || apt-get download -q miller >/dev/null 2>&1
dpkg-deb -x miller_*.deb .
seen=$(
  for last in 2 4 10; do
    for option in "" -i; do
      # shellcheck disable=SC2086
      seq "$last" | sed 's/^/x=/' | usr/bin/mlr stats1 $option -a median,p90 -f x
    done
  done
)
expected='x_median=2,x_p90=2
x_median=1.5,x_p90=1.9
x_median=3,x_p90=4
x_median=2.5,x_p90=3.7
x_median=6,x_p90=10
x_median=5.5,x_p90=9.1'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
