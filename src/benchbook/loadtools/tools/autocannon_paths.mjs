// autocannon with COUNT paths, which are PATTERN with each number from 0 for "{number}", in random
// order: every path is asked once before one is asked again. Prints its result as one line of JSON,
// as its command line does with --json. By hand:
// node autocannon_paths.mjs http://127.0.0.1:8080 CONNECTIONS SECONDS SEED COUNT '/items/{number}'
import autocannon from 'autocannon';

const [url, ...words] = process.argv.slice(2);
const [connections, duration, seed, count] = words.map(Number);
const pattern = words[4];
const requests = Array.from({ length: count }, (_, number) => ({
  path: pattern.replaceAll('{number}', number),
}));

// A run of one request puts the bytes to send into each of `requests`: autocannon would do so for
// every connection, after it has looked at the clock.
const fill = (client) => client.setRequests(requests);
await autocannon({ url, connections: 1, amount: 1, setupClient: fill });

let left = 0;
let state = seed;

// One step of a Fisher-Yates shuffle, which begins anew where it ends.
function next() {
  left = (left || count) - 1;
  const drawn = Math.floor(random() * (left + 1));
  [requests[drawn], requests[left]] = [requests[left], requests[drawn]];
  return requests[left];
}

// From 0 to below 1: mulberry32, because Math.random takes no seed.
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

// What it has for a list of requests gives each connection an order that never changes.
function setupClient({ requestIterator }) {
  requestIterator.nextRequest = () => (requestIterator.currentRequest = next());
  requestIterator.nextRequest();
}

console.log(JSON.stringify(await autocannon({ url, connections, duration, setupClient })));
