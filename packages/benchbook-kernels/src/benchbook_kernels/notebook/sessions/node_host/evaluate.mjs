// Runs a cell in the main thread through the inspector, and words its value or its error.

import inspector from 'node:inspector';
import { types, inspect } from 'node:util';
import { isSilent, toBundle } from './globals.mjs';
import { rewriteImports } from './imports.mjs';

const KEPT_SOURCES = 500;
const MAX_EXCERPT_CHARS = 400;
const FRAME = /^\s+at /;
const CELL_URL = /\bcell_(\d+)(?=:\d)/g;
const OWN_FRAME = /\bcell (\d+):(\d+):(\d+)/;
const HINTS = [
  [
    /^Identifier '.*' has already been declared$/,
    'keep the keyword of its first declaration (let, const, var …), or restart the kernel',
  ],
  [
    /^Illegal return statement$/,
    'a cell shows its last expression without return (below #!javascript, return works too)',
  ],
];
const HERE = import.meta.url.slice(0, import.meta.url.lastIndexOf('/'));

export class Evaluator {
  #session = new inspector.Session();
  #sources = new Map();
  #receiver;
  #closed = false;
  #received;
  #importer;
  #broken;

  /** broken: is called with the reason where the inspector can't be spoken to any more. */
  constructor(importer, broken) {
    this.#importer = importer;
    this.#broken = broken;
    this.#session.connect();
    const addedBefore = (url) => this.#sources.get(url)?.added ?? 0;
    Error.prepareStackTrace = (error, frames) => prepareStackTrace(error, frames, addedBefore);
    // A handle on a function of ours, through which a remote object comes back as the value it is.
    const key = `receiver of ${HERE}`;
    globalThis[key] = (value) => (this.#received = value);
    const expression = `globalThis[${JSON.stringify(key)}]`;
    this.#receiver = this.post('Runtime.evaluate', {
      expression,
    }).result.objectId;
    delete globalThis[key];
  }

  /** Lets go of the inspector, without which Node would wait for it when it exits. */
  close() {
    this.#closed = true;
    this.#session.disconnect();
  }

  /**
   * Every command goes through here. It travels as JSON: where a cell has given all objects a toJSON,
   * V8 would not understand it, and the cell would wait for ever.
   */
  #send(...command) {
    if (Object.prototype.toJSON) this.#broken('a cell gave Object.prototype a toJSON');
    this.#session.post(...command);
  }

  /** A command that V8 answers at once. Throws Error when it refuses. */
  post(method, parameters) {
    let failure, answer;
    this.#send(method, parameters, (error, result) => {
      failure = error;
      answer = result;
    });
    if (failure) throw new Error(failure.message || `${method} failed`);
    return answer;
  }

  /** The value that a remote object stands for. */
  valueOf({ objectId, value, unserializableValue }) {
    this.post('Runtime.callFunctionOn', {
      objectId: this.#receiver,
      functionDeclaration: 'function (value) { this(value); }',
      arguments: [{ objectId, value, unserializableValue }],
      silent: true,
    });
    const received = this.#received;
    this.#received = undefined;
    return received;
  }

  /**
   * The value of an expression that may be looked at without changing anything, as {value}, or
   * undefined where it throws, has a side effect or does not exist.
   */
  peek(expression) {
    try {
      const { result, exceptionDetails } = this.post('Runtime.evaluate', {
        expression,
        throwOnSideEffect: true,
        silent: true,
        timeout: 200,
        objectGroup: 'peek',
      });
      if (exceptionDetails) return undefined;
      return { value: this.valueOf(result) };
    } catch {
      return undefined;
    } finally {
      this.post('Runtime.releaseObjectGroup', { objectGroup: 'peek' });
    }
  }

  /** Names of the top-level let, const and class declarations of the session. */
  lexicalNames() {
    return this.post('Runtime.globalLexicalScopeNames', {}).names;
  }

  /**
   * Runs a cell; calls back, once, with {status: 'ok', data} or {status: 'error', …}.
   *
   * As in Node's REPL, what may be an object is one: where it does not compile so, it is a block.
   */
  run(code, name, callback, asObject = /^\s*\{/.test(code) && !/;\s*$/.test(code)) {
    const url = name.replaceAll(' ', '_'); // V8 takes no blank in a source's name
    this.#remember(url, code, asObject ? 1 : 0);
    const objectGroup = url;
    const text = rewriteImports(code, this.#importer.acorn);
    const parameters = {
      expression: `${asObject ? `(${text}\n)` : text}\n//# sourceURL=${url}`,
      replMode: true,
      awaitPromise: true,
      silent: true,
      objectGroup,
    };
    let posting = true; // what does not compile is answered while we post
    this.#send('Runtime.evaluate', parameters, (error, answer) => {
      if (this.#closed) return;
      if (error) return callback({ status: 'interrupted' });
      if (asObject && posting && answer.exceptionDetails) {
        return this.run(code, name, callback, false);
      }
      let described;
      try {
        const { result, exceptionDetails } = answer;
        if (exceptionDetails) {
          const thrown = this.valueOf(exceptionDetails.exception ?? {});
          described = {
            status: 'error',
            ...this.describeError(thrown, posting && exceptionDetails, url),
          };
        } else {
          described = { status: 'ok', data: this.#show(this.valueOf(result)) };
        }
      } catch (failure) {
        described = { status: 'error', ...this.describeError(failure) };
      }
      this.#send('Runtime.releaseObjectGroup', { objectGroup });
      this.#send('Runtime.discardConsoleEntries');
      callback(described);
    });
    posting = false;
  }

  #show(value) {
    if (value === undefined || isSilent(value)) return undefined;
    return toBundle(value);
  }

  /** added: how many characters V8 sees before the code's first line. */
  #remember(url, code, added) {
    this.#sources.delete(url);
    this.#sources.set(url, { lines: code.split(/\r\n|[\n\r\u2028\u2029]/), added });
    if (this.#sources.size > KEPT_SOURCES) {
      this.#sources.delete(this.#sources.keys().next().value);
    }
  }

  /** {ename, evalue, traceback} of something thrown; details: V8's, if it is a cell's syntax. */
  describeError(thrown, details, url) {
    if (!types.isNativeError(thrown) && !(thrown instanceof Error)) {
      const evalue = inspect(thrown);
      return { ename: 'Uncaught', evalue, traceback: `Uncaught ${evalue}` };
    }
    const ename = String(thrown.name ?? 'Error');
    const evalue = String(thrown.message ?? '');
    // util.inspect puts an error without frames in brackets.
    const text = keepOwnFrames(inspect(thrown)).replace(/^\[([^]*)\]$/, '$1');
    const frame = OWN_FRAME.exec(text)?.slice(1).map(Number);
    let place;
    if (frame) {
      place = { url: `cell_${frame[0]}`, line: frame[1], column: frame[2] };
    } else if (details && thrown instanceof SyntaxError) {
      const { lineNumber, columnNumber } = details;
      place = { url, line: lineNumber + 1, column: columnNumber + 1 };
    }
    const hint = details && HINTS.find(([message]) => message.test(evalue))?.[1];
    const traceback = [this.#excerpt(place), text, hint && `  → ${hint}`]
      .filter(Boolean)
      .join('\n');
    return { ename, evalue, traceback };
  }

  /** The line of a cell with a caret under the column, or undefined. */
  #excerpt(place) {
    const line = place && this.#sources.get(place.url)?.lines[place.line - 1];
    if (line === undefined || line.length > MAX_EXCERPT_CHARS) return undefined;
    // What loads a module was rewritten, so V8's column is not the reader's.
    const column = /^\s*(?:import\b(?!\s*[(.])|export\s*[{*])/.test(line)
      ? line.search(/\S/)
      : place.column - 1;
    const gap = line.slice(0, column).replace(/[^\t]/g, ' ');
    const name = place.url.replaceAll('_', ' ');
    return `${name}:${place.line}\n${line}\n${gap}^\n`;
  }
}

/** Formats a stack as Node does, without the frames of this host and what lies below a cell. */
function prepareStackTrace(error, frames, addedBefore) {
  const ours = (frame) => frame?.getFileName()?.startsWith(HERE);
  const below = frames.findIndex(
    (frame, index) => frame.getFileName() === 'node:inspector' && ours(frames[index + 1]),
  );
  if (below >= 0) frames = frames.slice(0, below);
  let head;
  try {
    head = Error.prototype.toString.call(error);
  } catch {
    head = '<error>';
  }
  const place = (frame) => {
    const added = frame.getLineNumber() === 1 && addedBefore(frame.getScriptNameOrSourceURL());
    return added ? `${frame}`.replace(/(?<=:1:)\d+(?=\)?$)/, (column) => column - added) : frame;
  };
  const lines = frames.filter((frame) => !ours(frame)).map((frame) => `\n    at ${place(frame)}`);
  return head + lines.join('').replace(CELL_URL, 'cell $1');
}

/** Drops the stack frames that are not the reader's: Node's, this host's and packages'. */
function keepOwnFrames(text) {
  const kept = [];
  for (const line of text.split('\n')) {
    const foreign =
      FRAME.test(line) &&
      !OWN_FRAME.test(line) &&
      (/\(?node:|[\\/]node_modules[\\/]|<anonymous>/.test(line) ||
        line.includes(HERE) ||
        line.includes('evalmachine.'));
    if (!foreign) kept.push(line);
    // An error's own properties follow its last frame in braces.
    else if (/ \{$/.test(line) && kept.length) kept[kept.length - 1] += ' {';
  }
  return kept.join('\n');
}
