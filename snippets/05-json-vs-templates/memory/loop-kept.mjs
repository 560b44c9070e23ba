// The article's loop, but each text is used: kept in a variable, or written as bytes.
const iterations = Number(process.argv[2] ?? 10_000_000);
const value = { hello: 'world' };
const buffer = Buffer.alloc(100);
export let kept; // exported, so that it can't be dropped as unused

const template = (o) => `{"hello": "${String(o.hello)}"}`;
const stringify = (o) => JSON.stringify(o);

function timeTemplateKept(o) {
  console.time('template, kept');
  for (let i = 0; i < iterations; i++) kept = template(o);
  console.timeEnd('template, kept');
}

function timeStringifyKept(o) {
  console.time('stringify, kept');
  for (let i = 0; i < iterations; i++) kept = stringify(o);
  console.timeEnd('stringify, kept');
}

function timeTemplateBytes(o) {
  console.time('template, bytes');
  for (let i = 0; i < iterations; i++) buffer.write(template(o));
  console.timeEnd('template, bytes');
}

function timeStringifyBytes(o) {
  console.time('stringify, bytes');
  for (let i = 0; i < iterations; i++) buffer.write(stringify(o));
  console.timeEnd('stringify, bytes');
}

for (let run = 0; run < 3; run++) {
  timeTemplateKept(value);
  timeStringifyKept(value);
  timeTemplateBytes(value);
  timeStringifyBytes(value);
}
