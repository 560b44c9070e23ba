#!/bin/sh
# Node.js 20: monitorEventLoopDelay() of a loop that does nothing tells a delay of 20 ms, or of whatever its resolution is.
#
# Guess: the delay is by how much the loop comes later than it should, so well below 1 ms where nothing runs.
# Seen: it records the whole time between two ticks of its timer, the resolution included: 20 ms at `resolution: 20`, 50 at 50. Two
# servers whose delays are 20.5 and 21 ms differ by a factor of two in what delays them.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund node@20.19.0
cat >look.cjs <<'JS'
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { setTimeout: wait } = require('node:timers/promises');
(async () => {
  for (const resolution of [20, 50]) {
    const delay = monitorEventLoopDelay({ resolution });
    delay.enable();
    await wait(1000);
    delay.disable();
    const median = delay.percentile(50) / 1e6;
    console.log(`resolution ${resolution}: at least`, median > 0.9 * resolution ? `${resolution} ms, nearly` : 'less');
  }
})();
JS
seen=$(node_modules/.bin/node look.cjs)
expected='resolution 20: at least 20 ms, nearly
resolution 50: at least 50 ms, nearly'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
