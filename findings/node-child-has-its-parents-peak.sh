#!/bin/sh
# Node.js 20 on Linux, process.resourceUsage().maxRSS: a small child's peak memory is its parent's.
#
# Guess: a child that does nothing tells some 40 MiB, whoever has started it.
# Seen: started by a parent that holds 600 MiB it tells more than 600 MiB; a harness that keeps its samples in memory and
# starts programs finds them all as large as itself. (Linux counts what the process held before its exec; Python's
# resource.getrusage in a child tells the same. GNU time, which starts its program by itself, is not deceived.)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >peak.mjs <<'JS'
import { spawnSync } from 'node:child_process';

const peak = () =>
  Number(spawnSync(process.execPath, ['-p', 'process.resourceUsage().maxRSS']).stdout) / 1024;
const before = peak();
const held = Buffer.alloc(600 * 2 ** 20, 1);
const after = peak();
console.error(`${Math.round(before)} MiB, then ${Math.round(after)} MiB, beside ${held.length} bytes`);
console.log(before < 200 ? 'small' : 'large', after > 600 ? 'large' : 'small');
JS
seen=$(node peak.mjs)
expected='small large'
printf 'Node.js %s: %s\n' "$(node --version)" "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
