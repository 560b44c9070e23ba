// Finds the functions of a reader's own file, and the inputs of another, and makes of both what
// harness.mjs times.
//
// A file gives functions as exports: one as its default export (then called "default"), or named
// ones, or an object of them as its default export, as CommonJS has it. The inputs' file is named
// by BENCHBOOK_INPUTS: each named export is one, or each property of an object that is its default
// export. An input is one argument; where it is a function, that is called for a fresh one for each
// call.

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export const load = (path) => import(pathToFileURL(resolve(path)));

const isObject = (value) => value !== null && typeof value === 'object';
const isCallable = (value) =>
  typeof value === 'function' && !/^class\b/.test(Function.prototype.toString.call(value));

// CommonJS says twice what it exports, and under names that are none of its functions
const named = (exports) =>
  Object.entries(exports).filter(([name]) => name !== 'default' && name !== 'module.exports');

/** The functions of a file by name, in its own order where that is known. */
export function functions(exports) {
  const own = isObject(exports.default)
    ? Object.entries(exports.default).map(([name, value]) => [
        name,
        isCallable(value) ? value.bind(exports.default) : value,
      ])
    : [['default', exports.default]];
  const found = new Map(own.filter(([, value]) => isCallable(value)));
  for (const [name, value] of named(exports))
    if (isCallable(value) && !found.has(name)) found.set(name, value);
  return found;
}

/** The inputs by name; none where no file of inputs is given. */
export async function inputs() {
  const file = process.env.BENCHBOOK_INPUTS;
  if (!file) return new Map();
  const exports = await load(file);
  const own = isObject(exports.default) ? Object.entries(exports.default) : [];
  return new Map([...own, ...named(exports)]);
}

/** What gives the arguments of a call: none for '', else the input of that name. */
export async function given(name) {
  if (!name) return () => [];
  const every = await inputs();
  if (!every.has(name)) throw new RangeError(`there is no input '${name}'`);
  const input = every.get(name);
  return typeof input === 'function' ? () => [input()] : () => [input];
}

export default async function prepare(exports, { benchmark, case: name }) {
  const call = functions(exports).get(benchmark);
  if (!name) return call;
  const input = (await inputs()).get(name);
  if (typeof input === 'function') return () => call(input());
  // From an array, or the optimiser may take the input for a constant and the work out of the loop.
  const one = [input];
  return () => call(one[0]);
}
