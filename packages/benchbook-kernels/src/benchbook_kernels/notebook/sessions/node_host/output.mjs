// What cells print and display, sent as messages in the order in which it was written.

import fs from 'node:fs';
import process from 'node:process';
import { StringDecoder } from 'node:string_decoder';

const STDOUT = 1;
const STDERR = 2;
const RETRY_MS = 5;
// Cells may replace these, or what they are found by: the session keeps its own.
const { stringify } = JSON;
const { writeSync } = fs;
const { wait } = Atomics;
const { from } = Buffer;
const pause = new Int32Array(new SharedArrayBuffer(4));

/** Writes all of a string to a descriptor, at once: it must be out even if the cell never returns. */
function writeAll(fd, text) {
  const bytes = from(text);
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(fd, bytes, written);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      wait(pause, 0, 0, RETRY_MS);
    }
  }
}

/** The same, without what a cell may have put into Object.prototype (toJSON). */
const bare = (value) => value && { __proto__: null, ...value };

export class Output {
  #fd;
  #limit;
  #left;
  #full = false;
  #cell = 0;

  /** fd: where messages go. limit: how many characters one cell may print or display. */
  constructor(fd, limit) {
    this.#fd = fd;
    this.#limit = this.#left = limit;
  }

  send(message) {
    const { data, metadata } = message;
    const whole = { __proto__: null, ...message, data: bare(data), metadata: bare(metadata) };
    writeAll(this.#fd, '\x1e' + stringify(whole) + '\n');
  }

  /** From now on output belongs to this cell, and its allowance is whole again. */
  begin(cell) {
    this.#cell = cell;
    this.#left = this.#limit;
    this.#full = false;
  }

  stream(name, text) {
    if (!text || this.#full) return;
    const over = text.length > this.#left;
    if (over) text = text.slice(0, this.#left);
    this.#left -= text.length;
    this.send({ op: 'stream', id: this.#cell, name, text });
    if (over) this.#sayFull();
  }

  display(data, metadata, displayId, update) {
    const message = {
      op: 'display',
      id: this.#cell,
      data,
      metadata,
      displayId,
      update,
    };
    const size = stringify(message).length;
    if (this.#full) return;
    if (size > this.#left) return this.#sayFull();
    this.#left -= size;
    this.send(message);
  }

  #sayFull() {
    this.#full = true;
    const millions = (this.#limit / 1e6).toPrecision(2);
    const text = `\n[this cell's output ends here: it exceeds ${Number(millions)} million characters]\n`;
    this.send({ op: 'stream', id: this.#cell, name: 'stderr', text });
  }

  /** Makes process.stdout and process.stderr, and so console, write here. */
  capture() {
    for (const name of ['stdout', 'stderr']) {
      const decoder = new StringDecoder('utf8');
      process[name].write = (chunk, encoding, callback) => {
        if (typeof encoding === 'function') [encoding, callback] = [, encoding];
        if (typeof chunk === 'string') {
          const plain = !encoding || /^utf-?8$/i.test(encoding);
          if (!plain) chunk = decoder.write(from(chunk, encoding));
        } else if (chunk instanceof Uint8Array) {
          chunk = decoder.write(chunk);
        } else {
          throw new TypeError('The "chunk" argument must be a string, a Buffer or a Uint8Array');
        }
        this.stream(name, chunk);
        if (callback) process.nextTick(callback);
        return true;
      };
    }
  }

  /**
   * Child processes write to descriptors 1 and 2 themselves. A mark there at the end of a cell lets
   * the reader know that it has seen all that the cell's children wrote before.
   * Returns whether the mark is there to wait for.
   */
  mark(cell) {
    if (this.#fd === STDOUT) return false;
    try {
      for (const fd of [STDOUT, STDERR]) writeSync(fd, `\x1e${cell}\x1e\n`);
      return true;
    } catch {
      return false;
    }
  }
}
