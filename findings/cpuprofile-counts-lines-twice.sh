#!/bin/sh
# Node.js 20, .cpuprofile (node --cpu-prof): callFrame.lineNumber counts from 0, positionTicks[].line of the same node from 1.
#
# Guess: lines of one file are counted one way.
# Seen: a function of the file's first line has lineNumber 0, and the ticks of its only busy line, the fourth, have line 4. A
# reader that treats both alike shows the time one line beside where it was spent, on a blank line or a brace.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >work.mjs <<'JS'
function hot(end) {
  let sum = 0;
  while (Date.now() < end) {
    for (let i = 0; i < 1e5; i++) sum += Math.sqrt(i) * Math.sin(i);
  }
  return sum;
}
hot(Date.now() + 1500);
JS
node --cpu-prof --cpu-prof-name=work.cpuprofile work.mjs
cat >look.mjs <<'JS'
import { readFileSync } from 'node:fs';

const { nodes } = JSON.parse(readFileSync('work.cpuprofile', 'utf8'));
const { callFrame, positionTicks } = nodes.find((node) => node.callFrame.functionName === 'hot');
const most = positionTicks.reduce((a, b) => (b.ticks > a.ticks ? b : a));
console.log('lineNumber', callFrame.lineNumber, 'line of most ticks', most.line);
JS
seen=$(node look.mjs)
expected='lineNumber 0 line of most ticks 4'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
