#!/bin/sh
# GNU datamash 1.7 (Debian 12): mad is not the median absolute deviation, but 1.4826 times that.
#
# Guess: the median of the distances from the median: of 1 to 5 it is 1.
# Seen: 1.4826, what estimates the standard deviation of normal data; the median itself is `madraw`. simple-statistics 7.12.1
# says 1. A rule like "further than 3 MAD" leaves out other runs with one than with the other.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q datamash=1.7-2 >/dev/null 2>&1 || apt-get download -q datamash >/dev/null 2>&1
dpkg-deb -x datamash_*.deb .
npm install --silent --no-audit --no-fund simple-statistics@7.12.1
cat >look.mjs <<'JS'
import { medianAbsoluteDeviation } from 'simple-statistics';

console.log('simple-statistics', medianAbsoluteDeviation([1, 2, 3, 4, 5]));
JS
seen="datamash mad and madraw $(seq 5 | usr/bin/datamash --output-delimiter=' ' mad 1 madraw 1)
$(node look.mjs)"
expected='datamash mad and madraw 1.4826 1
simple-statistics 1'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
