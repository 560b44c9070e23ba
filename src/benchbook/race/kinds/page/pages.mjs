// Opens web pages in Chromium and measures what they load, whenever it is told to.
//
//   node pages.mjs /usr/bin/chromium
//
// A page offers `window.client`, a promise of an object with measure(seconds, loops), look(), which
// tells what it read: {count, digest, exactDigest, bytes}, and `loaded`, how it was loaded itself:
// {ms, files: [{name, sent, bytes}]}. Every line of standard input is a command in JSON, and is
// answered with a line of JSON, {"error": …} where it failed:
//
//   {"open": NAME, "url": URL}         load the page in a browser context of its own: look()
//   {"measure": NAME, "seconds": 0.5, "loops": 1}
//                                      load the data for so long, and at least so often
//   {"visit": URL}                     load the page with an empty cache, and then again
//   {"close": true}                    close all pages
//
// It ends, and Chromium with it, when its standard input does.

import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const ARGUMENTS = [
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];
const PATIENCE_MS = 60_000; // for a page to start, and for a measurement beyond its own length

const root = process.getuid?.() === 0; // Chromium's sandbox refuses to run as root
const browser = await chromium.launch({
  executablePath: process.argv[2],
  args: root ? ['--no-sandbox', ...ARGUMENTS] : ARGUMENTS,
});
const pages = new Map();
say({ version: browser.version() });

try {
  for await (const line of createInterface({ input: process.stdin })) {
    say(await answer(JSON.parse(line)).catch((error) => ({ error: plain(error) })));
  }
} finally {
  await browser.close();
}

async function answer(command) {
  if (command.open) return open(command.open, command.url);
  if (command.measure) return measure(command.measure, command.seconds, command.loops);
  if (command.visit) return visit(command.visit);
  return closeAll();
}

// Nothing is remembered from another page, and no address but the page's own server is asked.
async function open(name, url) {
  const context = await browser.newContext();
  const { origin } = new URL(url);
  await context.route(
    (asked) => /^https?:$/.test(asked.protocol) && asked.origin !== origin,
    (route) => route.abort(),
  );
  const page = await context.newPage();
  pages.set(name, page);
  const said = [];
  page.on('pageerror', (error) => said.push(error.message));
  page.on('console', (message) => message.type() === 'error' && said.push(message.text()));
  try {
    await page.goto(url, { timeout: PATIENCE_MS });
    return await within(
      PATIENCE_MS,
      page.evaluate(async () => (await window.client).look()),
    );
  } catch (error) {
    await context.close();
    pages.delete(name);
    throw new Error([plain(error), ...said].join('\n'));
  }
}

async function measure(name, seconds, loops) {
  const page = pages.get(name);
  if (!page) throw new Error(`${name} is not open`);
  const measured = page.evaluate(
    async ([s, n]) => (await window.client).measure(s, n),
    [seconds, loops],
  );
  return await within(PATIENCE_MS + seconds * 1000, measured);
}

// How the page itself is loaded: first with an empty cache, later from it.
async function visit(url) {
  const context = await browser.newContext();
  const page = await context.newPage();
  try {
    await page.goto(url, { timeout: PATIENCE_MS });
    const first = await within(PATIENCE_MS, page.evaluate(loaded));
    await page.reload({ timeout: PATIENCE_MS });
    return { first, later: await within(PATIENCE_MS, page.evaluate(loaded)) };
  } finally {
    await context.close();
  }
}

async function loaded() {
  return (await window.client).loaded;
}

async function closeAll() {
  await Promise.all([...pages.values()].map((page) => page.context().close()));
  pages.clear();
  return {};
}

async function within(milliseconds, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    const problem = `no answer within ${milliseconds / 1000} s`;
    timer = setTimeout(() => reject(new Error(problem)), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// The first line of a message, without playwright's call log.
function plain(error) {
  return error.message.split('\n')[0].replace(/^page\.\w+: /, '');
}

function say(result) {
  console.log(JSON.stringify(result));
}
