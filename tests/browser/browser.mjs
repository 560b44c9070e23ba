// What the browser scripts share: Chromium with no network beyond the page, and "is it painted?".

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const PATIENCE_MS = 300_000; // beside other work, too: what is waited for ends early

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export function findChromium() {
  const given = process.env.BENCHBOOK_CHROMIUM;
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = given ? [given] : NAMES.flatMap((name) => folders.map((f) => join(f, name)));
  const found = candidates.find(isExecutable);
  if (!found) throw new Error('no Chromium found; get it with: ./bench setup --with-browser');
  return found;
}

// How Chromium is started here.
export function launching() {
  return { executablePath: findChromium(), args: ARGUMENTS };
}

// A Chromium of our own or, where BENCHBOOK_BROWSER_AT says so, the one of serve-browser.mjs.
function browserOf() {
  const at = process.env.BENCHBOOK_BROWSER_AT;
  return at ? chromium.connect(at) : chromium.launch(launching());
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

// Calls use(page, log) and closes the browser, or what is its own in it, whatever happens. The log holds the requests made
// (none is answered unless it goes to `origin` or to no network at all; `anywhere` answers all) and
// the errors seen.
export async function withPage(view, use) {
  const { origin, offline, width, height = 900, scheme, anywhere = false } = view;
  const browser = await browserOf();
  try {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: scheme,
      offline,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const log = { requests: [], errors: [] };
    page.on('pageerror', (error) => log.errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') log.errors.push(message.text());
    });
    context.on('request', (request) => {
      const url = request.url();
      if (!/^(file|data|blob|about):/.test(url) && !(origin && url.startsWith(origin))) {
        log.requests.push(url);
      }
    });
    await context.route(
      (url) => !anywhere && /^https?:$/.test(url.protocol) && url.origin !== origin,
      (route) => route.abort(),
    );
    return await use(page, log);
  } finally {
    await browser.close();
  }
}

// Every plot of the page, as it is painted.
export async function plots(page) {
  const found = [];
  for (const element of await page.locator('.js-plotly-plot').all()) {
    await element.scrollIntoViewIfNeeded();
    await page.waitForTimeout(200);
    const toMiddle = (plot) => plot.scrollIntoView({ block: 'center' });
    found.push(await painted(page, element, () => element.evaluate(toMiddle)));
  }
  return found;
}

// A plot that is in sight: its size, its marks that have a size, and how many pixels of a screenshot
// of it have each colour that its data asks for. In the DOM is not enough: it must be seen.
export async function painted(page, element, moveToMiddle) {
  const facts = await element.evaluate((plot) => {
    const within = (box, frame) =>
      box.left >= frame.left - 1 &&
      box.right <= frame.right + 1 &&
      box.top >= frame.top - 1 &&
      box.bottom <= frame.bottom + 1;
    const traces = plot.data ?? [];
    const colours = traces.map((trace) => trace.marker?.color).filter((c) => /^#/.test(c));
    const marks = [...plot.querySelectorAll('.scatterlayer path, .barlayer path')];
    const sized = marks.filter((mark) => {
      const box = mark.getBoundingClientRect();
      return box.width > 0 && box.height > 0;
    });
    const texts = [...plot.querySelectorAll('text')].filter((text) => text.textContent.trim());
    const outer = plot.getBoundingClientRect();
    // a legend that is too long is cut at its own frame
    const legend = plot.querySelector('.legend .bg')?.getBoundingClientRect();
    const clipped = texts.filter((text) => {
      const box = text.getBoundingClientRect();
      const named = legend && text.closest('.legend');
      return box.width > 0 && !(within(box, outer) && (!named || within(box, legend)));
    });
    return {
      title: plot.querySelector('.gtitle')?.textContent ?? '',
      width: outer.width,
      height: outer.height,
      marks: sized.length,
      clipped: clipped.map((text) => text.textContent),
      colours: [...new Set(colours)],
    };
  });
  let pixels = await countPixels(page, await element.screenshot(), facts.colours);
  if (Object.values(pixels).some((count) => count <= 20)) {
    // under the front end's own bars? Then it is seen in the middle of the window
    await moveToMiddle();
    await page.waitForTimeout(500);
    pixels = await countPixels(page, await element.screenshot(), facts.colours);
  }
  for (const colour of facts.colours.filter((each) => pixels[each] <= 20)) {
    // under the marks of others? Then it is seen without them
    await element.evaluate(showOnly, colour);
    Object.assign(pixels, await countPixels(page, await element.screenshot(), [colour]));
    await element.evaluate(showOnly, null);
  }
  return { ...facts, pixels };
}

// Hides the marks of a plot that have another colour; null shows all.
function showOnly(plot, colour) {
  for (const trace of plot.querySelectorAll('.scatterlayer .trace, .barlayer .trace')) {
    const hidden = colour && trace.__data__[0].trace.marker?.color !== colour;
    trace.style.visibility = hidden ? 'hidden' : '';
  }
}

// How many pixels of a PNG have each of the colours, near enough; decoded by the browser itself.
async function countPixels(page, png, colours) {
  const blank = await page.context().newPage();
  try {
    return await blank.evaluate(
      async ([base64, wanted]) => {
        const image = new Image();
        image.src = `data:image/png;base64,${base64}`;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const drawing = canvas.getContext('2d');
        drawing.drawImage(image, 0, 0);
        const { data } = drawing.getImageData(0, 0, image.width, image.height);
        return Object.fromEntries(
          wanted.map((colour) => {
            const rgb = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
            let count = 0;
            for (let i = 0; i < data.length; i += 4) {
              if (rgb.every((value, j) => Math.abs(data[i + j] - value) < 10)) count++;
            }
            return [colour, count];
          }),
        );
      },
      [png.toString('base64'), colours],
    );
  } finally {
    await blank.close();
  }
}

// Options as --name value after the positional arguments.
export function parseArguments(words) {
  const options = {};
  const positional = [];
  for (let i = 0; i < words.length; i++) {
    if (words[i].startsWith('--')) options[words[i].slice(2)] = words[++i];
    else positional.push(words[i]);
  }
  return { positional, options };
}

// Runs the script and prints its result as JSON; an error goes to stderr, exit code 1.
export async function main(script) {
  try {
    console.log(JSON.stringify(await script(parseArguments(process.argv.slice(2)))));
  } catch (error) {
    console.error(error.stack);
    process.exitCode = 1;
  }
}
