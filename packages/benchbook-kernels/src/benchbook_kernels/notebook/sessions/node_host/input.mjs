// What a cell reads from standard input: the reader of the notebook is asked for it.
//
// A question of readline asks for its answer, and what reads lines asks line by line, until an empty one ends the input. What
// reads all of stdin gets one answer as the whole of it. A cell waits for what its code has asked, also in callbacks. Where
// nobody can be asked it ends with an error, and never waits.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';
import readline from 'node:readline';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { receiveMessageOnPort } from 'node:worker_threads';

const LOOK_MS = 20;
const STDIN = 0;
const READ_BYTES = 16384; // of fs.read where no buffer is given, as Node.js has it
const NAMES = ['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'];
const READLINE = /\bkNormalWrite\b|\bKEYPRESS_DECODER\b/; // in the listeners of readline's interfaces
const { wait } = Atomics;
const pause = new Int32Array(new SharedArrayBuffer(4));

export class Input {
  #ask; // sends the question of the cell that runs; false where none runs
  #fail; // ends that cell with an error
  #messages;
  #dispatch;
  #stream;
  #answered; // has what reads all of the stream been given its answer?
  #rest = Buffer.alloc(0); // of an answer that is read a part at a time
  #questions = new Map(); // interface -> what it asks
  #listening = new Set(); // interfaces that gave lines to somebody
  #waiting; // takes the answer of the question that was sent
  #looking = false;
  #whenQuiet;

  constructor({ ask, fail, messages, dispatch }) {
    this.#ask = ask;
    this.#fail = fail;
    this.#messages = messages;
    this.#dispatch = dispatch;
    this.#renew();
    Object.defineProperty(process, 'stdin', {
      get: () => this.#stream,
      configurable: true,
      enumerable: true,
    });
    this.#watchReadline();
    this.#watchFiles();
    syncBuiltinESMExports();
  }

  /** Calls back when nothing that the cell has done waits for an answer any more. */
  whenQuiet(callback) {
    this.#whenQuiet = callback;
    if (this.#wanted()) return this.#look();
    this.#settle();
  }

  /** Takes the reader's answer. */
  receive(message) {
    const take = this.#waiting;
    this.#waiting = undefined;
    take?.(message);
  }

  /** Forgets what the cell that was ended has asked; what it reads from has ended, too. */
  reset() {
    this.#waiting = this.#whenQuiet = undefined;
    this.#rest = Buffer.alloc(0);
    const interfaces = new Set([...this.#questions.keys(), ...this.#listening]);
    this.#questions.clear();
    this.#listening.clear();
    this.#stream.destroy();
    this.#renew();
    for (const each of interfaces) each.close();
  }

  /** Does something wait for input that the reader can give? */
  look() {
    if (this.#wanted()) this.#look();
  }

  #renew() {
    const stream = new Readable({ read: () => this.#look() });
    Object.assign(stream, { fd: STDIN, ref: () => stream, unref: () => stream });
    stream.setMaxListeners(0);
    this.#stream = stream;
    this.#answered = false;
    stream.on('close', () => stream === this.#stream && this.#renew());
    stream.on('newListener', (event) => {
      if (event !== 'data' && event !== 'readable') return;
      if (stream !== this.#stream) throw ended();
      this.#answered = false;
      this.#look();
    });
    syncBuiltinESMExports(); // import { stdin } from 'node:process'
  }

  /** What waits: a question, lines, or all of the stream; undefined where nothing does. */
  #wanted() {
    const stream = this.#stream;
    if (stream.destroyed) return undefined;
    const open = (each) => !each.closed && each.input === stream;
    for (const [each, query] of this.#questions) if (open(each)) return { query };
    for (const each of this.#listening) {
      if (open(each) && !each.paused && each.listenerCount('line')) return { lines: true };
    }
    const readers = stream.listeners('data').filter((each) => !READLINE.test(each));
    const flows = readers.length && !stream.isPaused();
    return flows || stream.listenerCount('readable') ? { all: true } : undefined;
  }

  /** Looks what waits when the code that runs now has come to an await, or to its end. */
  #look() {
    if (this.#looking) return;
    this.#looking = true;
    setImmediate(() => {
      this.#looking = false;
      if (this.#waiting) return;
      const wanted = this.#wanted();
      if (!wanted) return this.#settle();
      if (wanted.all && this.#answered) return this.#end();
      const prompt = wanted.query ?? (wanted.lines ? 'stdin (an empty line ends it): ' : 'stdin: ');
      this.#waiting = (message) => this.#give(wanted, message);
      if (!this.#ask(String(prompt))) this.#waiting = undefined;
    });
  }

  #give(wanted, { value, why }) {
    if (typeof value !== 'string') return this.#fail(refusal(why));
    if (wanted.lines && value === '') return this.#end();
    if (wanted.query !== undefined) this.#questions.clear();
    this.#answered = true;
    this.#stream.push(`${value}\n`);
    this.#look();
  }

  #end() {
    this.#stream.push(null);
    this.#renew();
    this.#look();
  }

  #settle() {
    const callback = this.#whenQuiet;
    this.#whenQuiet = undefined;
    callback?.();
  }

  #watchReadline() {
    const input = this;
    const shared = Object.getPrototypeOf(readline.Interface.prototype);
    for (const name of ['on', 'addListener']) {
      const original = shared[name];
      shared[name] = function (event, ...rest) {
        const result = original.call(this, event, ...rest);
        if (event === 'line' && input.#isOurs(this)) {
          input.#listening.add(this);
          this.once('close', () => input.#listening.delete(this));
          input.#look();
        }
        return result;
      };
    }
    for (const { prototype } of [readline.Interface, readline.promises.Interface]) {
      const original = prototype.question;
      replace(prototype, 'question', function (query, options, ...rest) {
        const asks = input.#isOurs(this);
        if (asks && this.input !== input.#stream) throw ended();
        const result = original.call(this, query, options, ...rest);
        if (asks) input.#question(this, query, options?.signal, result);
        return result;
      });
    }
  }

  #isOurs({ input }) {
    return input?.fd === STDIN && input instanceof Readable;
  }

  #question(asking, query, signal, result) {
    const forget = () => this.#questions.get(asking) === query && this.#questions.delete(asking);
    this.#questions.set(asking, query);
    signal?.addEventListener('abort', forget, { once: true });
    result?.then?.(undefined, forget);
    this.#look();
  }

  /** Reading stdin as a file: there is nothing to wait with but to wait. */
  #watchFiles() {
    const { readFileSync, readSync, read, readFile, createReadStream } = fs;
    const { readFile: promised } = fs.promises;
    const all = (options) => {
      const bytes = Buffer.from(`${this.#askNow()}\n`);
      const encoding = typeof options === 'string' ? options : options?.encoding;
      return encoding && encoding !== 'buffer' ? bytes.toString(encoding) : bytes;
    };
    const later = (callback, value) => {
      try {
        const result = value();
        setImmediate(() => callback(null, ...[result].flat()));
      } catch (error) {
        setImmediate(() => callback(error));
      }
    };
    replace(fs, 'readFileSync', (path, options) =>
      isStdin(path) ? all(options) : readFileSync(path, options),
    );
    replace(fs, 'readFile', (path, ...rest) => {
      if (!isStdin(path)) return readFile(path, ...rest);
      later(rest.at(-1), () => [all(rest.length > 1 ? rest[0] : undefined)]);
    });
    replace(fs.promises, 'readFile', async (path, options) =>
      isStdin(path) ? all(options) : promised(path, options),
    );
    replace(fs, 'readSync', (fd, ...rest) =>
      fd === STDIN ? this.#part(...rest) : readSync(fd, ...rest),
    );
    replace(fs, 'read', (fd, ...rest) => {
      if (fd !== STDIN) return read(fd, ...rest);
      const callback = rest.pop();
      const [first, offset, length] = rest;
      const given = ArrayBuffer.isView(first) ? { buffer: first, offset, length } : { ...first };
      const { buffer = Buffer.alloc(READ_BYTES) } = given;
      later(callback, () => [this.#part(buffer, given.offset, given.length), buffer]);
    });
    replace(fs, 'createReadStream', (path, options) =>
      options?.fd === STDIN || isStdin(path) ? process.stdin : createReadStream(path, options),
    );
  }

  /** Fills a buffer with what is left of an answer, or of another; how many bytes that are. */
  #part(buffer, offset = 0, length = undefined) {
    if (typeof offset === 'object') ({ offset = 0, length } = offset ?? {});
    if (!this.#rest.length) {
      const line = this.#askNow('stdin (an empty line ends it): ');
      if (line === '') return 0;
      this.#rest = Buffer.from(`${line}\n`);
    }
    const view = new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    const part = this.#rest.subarray(
      0,
      Math.min(length ?? view.length - offset, view.length - offset),
    );
    view.set(part, offset);
    this.#rest = this.#rest.subarray(part.length);
    return part.length;
  }

  /** The reader's answer, without which nothing goes on in this thread. */
  #askNow(prompt = 'stdin: ') {
    let answer;
    const take = (message) => (answer = message);
    this.#waiting = take;
    if (!this.#ask(prompt)) throw refusal('no cell runs');
    while (!answer) {
      const received = receiveMessageOnPort(this.#messages);
      if (received) this.#dispatch(received.message);
      else wait(pause, 0, 0, LOOK_MS);
      if (!answer && this.#waiting !== take) throw new Error('interrupted');
    }
    if (typeof answer.value !== 'string') throw refusal(answer.why);
    return answer.value;
  }
}

/** Puts a function in the place of another, with what that has as an object. */
function replace(holder, name, made) {
  const { prototype, ...own } = Object.getOwnPropertyDescriptors(holder[name]);
  holder[name] = Object.defineProperties(made, own);
}

function isStdin(path) {
  if (path === STDIN) return true;
  if (path instanceof URL && path.protocol === 'file:') path = fileURLToPath(path);
  return (typeof path === 'string' || path instanceof Uint8Array) && NAMES.includes(String(path));
}

const ended = () =>
  new Error('this stdin has ended: take process.stdin again, and make a new interface of it');

const refusal = (why) =>
  new Error(
    `nobody can be asked here (${why ?? 'no answer'}): write the value in the cell, or run it where a reader can type`,
  );
