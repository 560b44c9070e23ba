// What the first cells of notebook 00 need to build a race by hand: start a program, ask it, end it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const REQUEST = 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
const TRIES = 3; // with another port each time
const LONGEST_MS = 30_000; // until a program answers for the first time
const running = new Map(); // by name: what ends it

process.on('exit', () => running.forEach((end) => end()));

/**
 * Starts NAME.mjs in a process of its own and waits until it answers: {name, ask(count), end()}.
 * One that was started under this name before ends; all end with the notebook's session.
 */
export async function start(name) {
  running.get(name)?.();
  for (let more = TRIES - 1; ; more--) {
    const port = await freePort();
    const file = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
    const env = { ...process.env, PORT: String(port) };
    const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const end = () => void child.kill('SIGKILL');
    running.set(name, end);
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-2000)));
    try {
      const answer = await firstAnswer(name, port, child);
      return { name, ask: (count) => ask(name, port, count, answer), end };
    } catch (error) {
      await pause(100); // what it said may come after its end
      const taken = said.includes('EADDRINUSE'); // by somebody else, before the program took it
      if (!more || !taken) throw new Error(`${error.message}\n${said}`.trim());
    } finally {
      child.stderr.unref();
      child.unref();
    }
  }
}

async function freePort() {
  const probe = net.createServer().listen(0, '127.0.0.1'); // the system chooses
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  return port;
}

async function firstAnswer(name, port, child) {
  for (const late = performance.now() + LONGEST_MS; performance.now() < late; await pause(20)) {
    const ended = child.exitCode ?? child.signalCode;
    if (ended !== null) throw new Error(`${name} ended (${ended}) before it answered`);
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (answer) return answer.text(); // without one it does not listen yet
  }
  child.kill('SIGKILL');
  throw new Error(`${name} does not answer`);
}

/**
 * Sends `count` requests on one connection without waiting, so that the program always has
 * something to do; resolves when all have the same answer as the first.
 */
function ask(name, port, count, answer) {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.write(REQUEST.repeat(count)));
    socket.setEncoding('utf8').setNoDelay();
    socket.on('data', (data) => {
      text += data;
      if (text.split(`\r\n\r\n${answer}`).length > count) resolve(socket.destroy());
    });
    const ended = () => reject(new Error(`${name} does not run any more: start it again`));
    socket.on('error', ended).on('close', ended);
  });
}
