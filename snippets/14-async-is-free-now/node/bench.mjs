// What is timed: a chain of so many calls, at whose end the result is there ("ready") or comes later ("waiting").
//
// "Later" is when the promise at the end is resolved, after all of the chain has been called.
import { strictEqual } from 'node:assert';

export default async function ({ down }, { benchmark, case: place }) {
  const depth = Number(place.split('=')[1]);
  function waiting() {
    let resolve;
    const later = new Promise((made) => (resolve = made));
    const all = down(depth, later);
    resolve(1000);
    return all;
  }
  const ready = () => down(depth);
  strictEqual(await waiting(), await ready()); // or it is no contest
  return benchmark === 'waiting' ? waiting : ready;
}
