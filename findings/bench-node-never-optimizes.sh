#!/bin/sh
# bench-node 0.15.0: by default it forbids V8 to optimise what it measures.
#
# Guess: a function is measured as it runs in production, compiled by TurboFan.
# Seen: the plug-in V8NeverOptimizePlugin is on where none is named; with `plugins: []` a loop of a
# thousand additions is more than three times as fast (eighteen times on Node.js 20.20).
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund bench-node@0.15.0
cat >look.mjs <<'JS'
import { Suite } from 'bench-node';

const plain = process.argv[2] === 'plain';
const suite = new Suite({ reporter: false, ...(plain ? { plugins: [] } : {}) });
suite.add('sum', function () {
  let sum = 0;
  for (let i = 0; i < 1000; i += 1) sum += i;
  return sum;
});
const [{ opsSec, plugins }] = await suite.run();
console.log(plain ? opsSec : `${opsSec} ${plugins.map((plugin) => plugin.name)}`);
JS
usual=$(node --allow-natives-syntax look.mjs)
plain=$(node --allow-natives-syntax look.mjs plain)
seen="plug-ins by default: ${usual#* }
without them over three times as fast: $(node -p "$plain > 3 * ${usual% *}")"
expected='plug-ins by default: V8NeverOptimizePlugin
without them over three times as fast: true'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
