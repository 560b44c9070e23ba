// What does Gerbil's server say where clients hang up with a request under way, as wrk does at its end?
// It starts gerbil-static.ss, and prints what that logs as errors; it needs gxi.

import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('gerbil-static.ss', import.meta.url));
const env = { ...process.env, PORT: '18091', PATHS: '1' };
const gerbil = spawn('gxi', [program], { env });
let log = '';
gerbil.stderr.on('data', (text) => (log += text));
gerbil.on('error', (error) => (log += error));
await pause(3000);

for (let i = 0; i < 10; i++) {
  const client = connect(18091, '127.0.0.1', () => {
    client.write('GET /items/0 HTTP/1.1\r\nHost: localhost\r\n\r\n', () =>
      client.resetAndDestroy(),
    );
  });
  client.on('error', () => {}); // without gxi nobody listens
}
await pause(1000);
gerbil.kill();
console.log(log.match(/\[error\].*|.*ENOENT/g));
