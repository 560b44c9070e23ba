// The Node.js side of a notebook session: evaluates cells, keeps their state, reports what they print.
//
// Started by node.py as `node --no-force-async-hooks-checks host.mjs '{"in":3,"out":4,…}'`.
// Messages are JSON lines on two descriptors of their own (see host.py for their fields), so that
// nothing a cell or its child processes print can be taken for a message.
//
// Two threads. This main thread is the reader's: cells run here, through the inspector's
// Runtime.evaluate in REPL mode, which is what DevTools' console uses (const may be declared again,
// await works at the top level). A worker thread reads the messages, so an interrupt is seen while a
// cell loops; it then asks V8 to terminate what the main thread executes. That ends one run of
// JavaScript and nothing else: variables, timers and servers stay. Terminating a timer's callback
// leaves Node's async hook stack one deeper than Node expects, hence the flag above.

import fs from 'node:fs';
import inspector from 'node:inspector';
import process from 'node:process';
import { setImmediate, setInterval, setTimeout } from 'node:timers';
import { isMainThread, MessageChannel, Worker, workerData } from 'node:worker_threads';
import { pathToFileURL } from 'node:url';

const INTERRUPT_GRACE_MS = 150; // a cell that merely awaits is interrupted without force
const INTERRUPT_RETRY_MS = 250;
const AWAITED = 'what it awaits goes on in the background; a restart of the kernel ends that';
const PARENT_CHECK_MS = 1000;

if (isMainThread) await main(JSON.parse(process.argv[2]));
else listen(workerData);

/** Worker thread: reads messages, passes them on, forces interrupts, ends with the parent. */
async function listen({ inFd, parent, ownGroup, acknowledged, main }) {
  const { Socket } = await import('node:net');
  let interrupts = 0;

  function end() {
    try {
      // The group: what cells started and left running goes with the session.
      process.kill(ownGroup ? -process.pid : process.pid, 'SIGKILL');
    } finally {
      process.kill(process.pid, 'SIGKILL');
    }
  }

  function force(number) {
    if (Atomics.load(acknowledged, 0) >= number) return;
    // Connected only for this: a connection would be waited for at the process's exit.
    const session = new inspector.Session();
    session.connectToMainThread();
    session.post('Runtime.terminateExecution', () => session.disconnect());
    setTimeout(force, INTERRUPT_RETRY_MS, number);
  }

  function receive(line) {
    const message = JSON.parse(line);
    if (message.op === 'interrupt') {
      message.number = ++interrupts;
      setTimeout(force, INTERRUPT_GRACE_MS, interrupts);
    }
    main.postMessage(message);
  }

  let rest = '';
  const socket = new Socket({ fd: inFd, readable: true, writable: false });
  socket.setEncoding('utf8');
  socket.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    lines.forEach(receive);
  });
  socket.on('end', end);
  socket.on('error', end);
  // A forked copy of the parent can hold the descriptor open after the parent's death.
  setInterval(() => process.ppid !== parent && end(), PARENT_CHECK_MS);
}

/** Main thread: sets the session up, then runs what the worker passes on. */
async function main(options) {
  const acknowledged = new Int32Array(new SharedArrayBuffer(4));
  // Unlike the worker's own, this channel keeps what comes before we are ready for it.
  const { port1: messages, port2 } = new MessageChannel();
  new Worker(new URL(import.meta.url), {
    workerData: {
      inFd: options.in,
      parent: process.ppid,
      ownGroup: options.ownGroup,
      acknowledged,
      main: port2,
    },
    transferList: [port2],
  }).on('error', (error) => {
    process._rawDebug(error);
    process.exit(70); // without its ears the session would wait for ever
  });
  const [{ Output }, { Evaluator }, { installGlobals }, { Input }, tools] = await Promise.all([
    import('./output.mjs'),
    import('./evaluate.mjs'),
    import('./globals.mjs'),
    import('./input.mjs'),
    import('./complete.mjs'),
  ]);
  const output = new Output(options.out, options.maxOutputChars);
  output.capture();
  const importer = await installGlobals({ output, ...options });
  const { pid, kill } = process;
  const evaluator = new Evaluator(importer, (why) => {
    output.send({ op: 'ending', why });
    kill(pid, 'SIGKILL'); // what a cell does at the exit must not stop it
  });
  process.on('exit', () => evaluator.close());

  let current; // the request of the cell that runs now
  const queue = [];

  function reply(request, answer) {
    if (request.done) return;
    request.done = true;
    output.send({ op: 'reply', id: request.id, ...answer });
  }

  function finish(request, answer) {
    reply(request, { ...answer, marked: output.mark(request.id) });
    if (current === request) current = undefined;
    setImmediate(next);
  }

  function next() {
    if (current || !queue.length) return;
    const request = (current = queue.shift());
    output.begin(request.id);
    evaluator.run(request.code, request.name, (answer) => {
      const end = () => finish(request, answer);
      if (current === request && answer.status === 'ok') input.whenQuiet(end);
      else end();
    });
    input.look(); // what was asked in the background
  }

  const input = new Input({
    messages,
    dispatch,
    ask(prompt) {
      if (current) output.send({ op: 'input', id: current.id, prompt, password: false });
      return Boolean(current);
    },
    fail(error) {
      const request = current;
      input.reset();
      if (request) finish(request, { status: 'error', ...evaluator.describeError(error) });
    },
  });

  const operations = {
    run(request) {
      queue.push(request);
      next();
    },
    interrupt({ number }) {
      Atomics.store(acknowledged, 0, number);
      const awaiting = current; // a busy one was ended before this is read
      const requests = awaiting ? [awaiting, ...queue] : queue.slice();
      current = undefined;
      queue.length = 0;
      input.reset();
      for (const request of requests) {
        const rest = request === awaiting ? { left: AWAITED } : {};
        reply(request, { status: 'interrupted', marked: output.mark(request.id), ...rest });
      }
    },
    input(message) {
      if (message.id === current?.id) input.receive(message); // else that cell was interrupted
    },
    complete: (request) => reply(request, tools.complete(request, evaluator)),
    inspect: (request) => reply(request, tools.inspect(request, evaluator)),
  };

  function dispatch(message) {
    try {
      operations[message.op](message);
    } catch (error) {
      reply(message, { status: 'failed', message: String(error) });
    }
  }
  messages.on('message', dispatch);

  for (const event of ['uncaughtException', 'unhandledRejection']) {
    process.on(event, (error) => {
      const { traceback } = evaluator.describeError(error);
      output.stream('stderr', `Uncaught (in the background) ${traceback}\n`);
    });
  }

  // What a cell sees of the command line is its own directory, not this file.
  process.argv.splice(1, 2, importer.base);
  output.send({
    op: 'ready',
    version: process.versions.node,
    base: pathToFileURL(importer.base).href,
  });
}
