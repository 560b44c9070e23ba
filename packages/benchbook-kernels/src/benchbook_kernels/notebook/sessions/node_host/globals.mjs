// What a cell finds besides Node's own globals: require, imports, display, plotly.

import { randomUUID } from 'node:crypto';
import { createRequire, isBuiltin } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import vm from 'node:vm';
import { makePlotly } from './figures.mjs';
import { IMPORT } from './imports.mjs';

const MIME = /^[a-z]+\/[\w.+-]+$/;
const JUPYTER_DISPLAY = Symbol.for('Jupyter.display');
const silent = new WeakSet();
const exported = new Set(); // the globals that `export * from` made

/** Is this a value that a cell does not show when it is its last expression? */
export const isSilent = (value) => typeof value === 'object' && value !== null && silent.has(value);

/** Defines the globals; returns {base, acorn}: the path names resolve from, and the parser. */
export async function installGlobals({ output, directory, root }) {
  const base = path.join(directory, 'notebook.js');
  const rootBase = path.join(root, 'notebook.js');
  define('require', makeRequire(base, rootBase));
  define('module', { exports: {} });
  define('exports', globalThis.module.exports);
  define(IMPORT, await makeImport(base, rootBase));
  const display = makeDisplay(output);
  define('display', display);
  define('plotly', makePlotly(display));
  return { base, acorn: lazyAcorn(base, rootBase) };
}

const define = (name, value) =>
  Object.defineProperty(globalThis, name, {
    value,
    writable: true,
    configurable: true,
    enumerable: false,
  });

const isBare = (name) => !/^(?:\.{0,2}\/|\.{1,2}$|[a-z][a-z0-9+.-]+:)/i.test(name);

/** require() as in a file beside the notebook; packages also from the project's node_modules. */
function makeRequire(base, rootBase) {
  const own = createRequire(base);
  const project = createRequire(rootBase);
  function require(name) {
    if (typeof name === 'string' && isBare(name) && !isBuiltin(name)) {
      try {
        own.resolve(name);
      } catch {
        try {
          project.resolve(name);
        } catch {
          return own(name); // the error that names the notebook's directory
        }
        return project(name);
      }
    }
    return own(name);
  }
  return Object.assign(require, own);
}

/** Was nothing found, as opposed to found and broken? */
const isMissing = (error, base) =>
  error?.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(base);

/** import() as in a file beside the notebook, and the named imports of a static import. */
async function makeImport(base, rootBase) {
  const importFrom = (filename) =>
    vm.runInThisContext('(name, options) => import(name, options)', {
      filename,
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
  const own = importFrom(base);
  const project = importFrom(rootBase);
  // Node warns once that this way to load is experimental; the reader can do nothing about it.
  const { emitWarning } = process;
  process.emitWarning = () => {};
  await own('node:fs');
  process.emitWarning = emitWarning;
  async function load(name, options) {
    try {
      return await own(name, options);
    } catch (error) {
      if (!isBare(String(name)) || !isMissing(error, base)) throw error;
      return project(name, options).catch((second) => {
        throw isMissing(second, rootBase) ? error : second;
      });
    }
  }
  load.names = async (name, names, options) => {
    const module = await load(name, options);
    for (const wanted of names) {
      if (!(wanted in module)) {
        throw new SyntaxError(
          `The requested module '${name}' does not provide an export named '${wanted}'`,
        );
      }
    }
    return module;
  };
  load.all = async (name, options) => {
    for (const [key, value] of Object.entries(await load(name, options))) {
      if (key === 'default' || (key in globalThis && !exported.has(key))) continue;
      exported.add(key);
      define(key, value);
    }
  };
  const { href: url } = pathToFileURL(base);
  const resolve = (wanted) => {
    const found = isBuiltin(wanted) ? wanted : createRequire(base).resolve(wanted);
    return path.isAbsolute(found) ? pathToFileURL(found).href : found;
  };
  load.meta = { url, filename: base, dirname: path.dirname(base), main: true, resolve };
  return load;
}

/** The acorn parser, loaded when it is first needed; undefined where it is not installed. */
function lazyAcorn(...bases) {
  let acorn, searched;
  return () => {
    if (!searched) {
      searched = true;
      for (const base of [...bases, import.meta.url]) {
        try {
          acorn ??= createRequire(base)('acorn');
        } catch {
          continue;
        }
      }
    }
    return acorn;
  };
}

/** The MIME bundle of a value: its own, or its text as util.inspect gives it. */
export function toBundle(value) {
  const own = value?.[JUPYTER_DISPLAY];
  if (typeof own === 'function') return encode(own.call(value));
  return { 'text/plain': inspect(value) };
}

function isBundle(value) {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => MIME.test(key));
}

/** Binary data in a bundle travels as base64. */
function encode(bundle) {
  const entries = Object.entries(bundle).map(([type, data]) => [
    type,
    data instanceof Uint8Array ? Buffer.from(data).toString('base64') : data,
  ]);
  return Object.fromEntries(entries);
}

/**
 * display(value) shows a value now; display({'text/html': '…'}) shows a MIME bundle. Returns a handle
 * whose update(value) shows another value in the same place.
 */
function makeDisplay(output) {
  const bundle = (value) => (isBundle(value) ? encode(value) : toBundle(value));
  function display(value, { metadata = {} } = {}) {
    const id = randomUUID();
    output.display(bundle(value), metadata, id, false);
    const handle = {
      id,
      update(next, { metadata: changed = metadata } = {}) {
        output.display(bundle(next), changed, id, true);
      },
    };
    silent.add(handle);
    return handle;
  }
  const as =
    (type, plain = (data) => String(data)) =>
    (data, options) =>
      display({ [type]: data, 'text/plain': plain(data) }, options);
  display.html = as('text/html');
  display.markdown = as('text/markdown');
  display.svg = as('image/svg+xml');
  display.json = as('application/json', (data) => inspect(data));
  return display;
}
