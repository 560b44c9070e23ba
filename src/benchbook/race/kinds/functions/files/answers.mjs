// Tells what a reader's file exports, or what a function in it answers.
//
//   node answers.mjs FILE                     → {"functions": [name…], "inputs": [name…]}
//   node answers.mjs FILE FUNCTION CASE…      → for each case (may be '') a line
//     {"case", "first": leaves, "second": leaves, "rest": [hash, hash], "lazy", "opaque", "changed"}
//
// An answer is told leaf by leaf, [where in it, what is there], so that a difference can be named.
// Two answers are alike where all leaves are: keys of objects and of maps, and members of sets, may
// come in any order, and a promise is what it is resolved to. lazy: it is an iterator, which has done no
// work yet; opaque: what it holds of which
// only the name is known, '' for nothing (functions, symbols, objects of which only the class is); changed: the input was changed
// by the call.

import { createHash } from 'node:crypto';
import { functions, given, inputs, load } from './adapter.mjs';

const MOST = 20000; // leaves that are told; of the rest there is only a hash
const LONGEST = 10000; // characters of a text that are told
const ROW = 16; // numbers of a typed array in a leaf

const say = (result) => console.log(`// benchbook ${JSON.stringify(result)}`);
const hashed = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16);

function shown(value) {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return `function ${value.name}`;
  if (typeof value !== 'string') return String(value);
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}… ${hashed(text)}` : text;
}

class Answer {
  leaves = [];
  lazy = false;
  opaque = '';
  #rest = createHash('sha256');
  #above = [];

  get rest() {
    return this.#rest.digest('hex');
  }

  add(place, text) {
    if (this.leaves.length < MOST) this.leaves.push([place, text]);
    else this.#rest.update(JSON.stringify([place, text]));
  }

  async take(value, place = '') {
    value = await value;
    if (typeof value === 'function') this.opaque ||= 'functions';
    if (typeof value === 'symbol') this.opaque ||= 'symbols';
    if (value === null || typeof value !== 'object') return this.add(place, shown(value));
    const before = this.#above.indexOf(value);
    if (before >= 0) return this.add(place, `itself, ${this.#above.length - before} above`);
    this.#above.push(value);
    await this.#inside(value, place);
    this.#above.pop();
  }

  async #inside(value, place) {
    if (value instanceof Date) return this.add(place, `Date ${+value}`);
    if (value instanceof RegExp) return this.add(place, `RegExp ${value}`);
    if (value instanceof Error) return this.add(place, `${value.name}: ${value.message}`);
    if (value instanceof Number || value instanceof String || value instanceof Boolean)
      return this.add(place, `${value.constructor.name} ${shown(value.valueOf())}`);
    if (value instanceof ArrayBuffer || value instanceof DataView) return this.#bytes(value, place);
    if (ArrayBuffer.isView(value)) return this.#numbers(value, place);
    if (Array.isArray(value)) return this.#array(value, place);
    if (value instanceof Map) return this.#map(value, place);
    if (value instanceof Set) return this.#set(value, place);
    return this.#object(value, place);
  }

  #bytes(value, place) {
    const isView = value instanceof DataView;
    const view = isView ? [value.buffer, value.byteOffset, value.byteLength] : [value];
    this.#numbers(new Uint8Array(...view), place);
  }

  #numbers(value, place) {
    // a Buffer is a Uint8Array, too
    this.add(place, `${value[Symbol.toStringTag]}(${value.length})`);
    for (let i = 0; i < value.length; i += ROW)
      this.add(`${place}[${i}]`, Array.from(value.subarray(i, i + ROW), shown).join(' '));
  }

  async #array(value, place) {
    this.add(place, `Array(${value.length})`);
    for (let i = 0; i < value.length; i++) await this.take(value[i], `${place}[${i}]`);
  }

  async #map(value, place) {
    this.add(place, `Map(${value.size})`);
    for (const [key, [, each]] of await sorted(value))
      await this.take(each, `${place}.get(${key})`);
  }

  async #set(value, place) {
    this.add(place, `Set(${value.size})`);
    for (const [key] of await sorted([...value].map((each) => [each])))
      this.add(`${place}.has(${key})`, 'true');
  }

  async #object(value, place) {
    const name = Object.getPrototypeOf(value)?.constructor?.name ?? 'Object';
    const keys = Object.keys(value).sort();
    if (
      typeof value.next === 'function' &&
      (Symbol.iterator in value || Symbol.asyncIterator in value)
    )
      this.lazy = true;
    if (name !== 'Object' && !keys.length) this.opaque ||= 'objects';
    this.add(place, name);
    for (const key of keys) await this.take(value[key], `${place}.${key}`);
  }
}

/** Entries with the text of their keys, by which they are sorted. */
async function sorted(entries) {
  const found = [];
  for (const entry of entries) {
    const { leaves } = await told(entry[0]);
    found.push([leaves.map(([place, text]) => place + text).join(', '), entry]);
  }
  return found.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

async function told(value) {
  const answer = new Answer();
  await answer.take(value);
  return answer;
}

/** What comes of a function; whatever it throws is an error in the end. */
async function tried(act) {
  try {
    return await act();
  } catch (error) {
    throw error instanceof Error ? error : new Error(`it threw ${shown(error)}`);
  }
}

const [file, name, ...cases] = process.argv.slice(2);
const found = functions(await tried(() => load(file)));
if (name === undefined) say({ functions: [...found.keys()], inputs: [...(await inputs()).keys()] });
for (const each of cases) {
  const values = await given(each);
  const before = await told(values());
  const first = await told(await tried(() => found.get(name)(...values())));
  const second = await told(await tried(() => found.get(name)(...values())));
  const after = await told(values());
  say({
    case: each,
    first: first.leaves,
    second: second.leaves,
    rest: [first.rest, second.rest],
    lazy: first.lazy,
    opaque: first.opaque,
    changed: JSON.stringify(before.leaves) !== JSON.stringify(after.leaves),
  });
}
