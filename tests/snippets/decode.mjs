// Decodes each {format, hex} of standard input with 07's JavaScript clients: what was read, or the
// error's name. Run by test_07_browser.py.

import { text } from 'node:stream/consumers';

const site = new URL('../../snippets/07-serializers/browser/Server/wwwroot/', import.meta.url);
const decoders = {};
for (const [format, file] of [
  ['json', 'json'],
  ['messagepack', 'msgpack'],
  ['memorypack', 'memorypack'],
]) {
  decoders[format] = (await import(new URL(`javascript/${file}.mjs`, site))).decode;
}

const results = JSON.parse(await text(process.stdin)).map(({ format, hex }) => {
  try {
    return { read: decoders[format](Uint8Array.from(Buffer.from(hex, 'hex')).buffer) };
  } catch (error) {
    return { error: error.name };
  }
});
console.log(JSON.stringify(results));
