// The article's loop: both methods three times by turns, and nobody looks at the texts.
const iterations = Number(process.argv[2] ?? 10_000_000);
const value = { hello: 'world' };

const template = (o) => `{"hello": "${String(o.hello)}"}`;
const stringify = (o) => JSON.stringify(o);

function timeTemplate(o) {
  console.time('template');
  for (let i = 0; i < iterations; i++) template(o);
  console.timeEnd('template');
}

function timeStringify(o) {
  console.time('stringify');
  for (let i = 0; i < iterations; i++) stringify(o);
  console.timeEnd('stringify');
}

for (let run = 0; run < 3; run++) {
  timeTemplate(value);
  timeStringify(value);
}
