// What is timed: a method turns a value into JSON, and the text is put to use in one of these ways.
import { strictEqual } from 'node:assert';
import { values } from '../values.mjs';

const buffer = Buffer.alloc(100_000);
const uses = {
  unused: (text) => void text(), // as in the article's loop: nobody looks at it
  kept: (text) => text(),
  bytes: (text) => buffer.write(text()), // what a server does with it
};

export default function (methods, { benchmark }) {
  const [shape, use = 'bytes'] = benchmark.split('.');
  const [method, all, put] = [methods[shape], values(shape), uses[use]];
  for (const value of all) strictEqual(method(value), JSON.stringify(value)); // or it is no contest
  let i = 0;
  const text = () => method(all[i++ & 15]);
  return () => put(text);
}
