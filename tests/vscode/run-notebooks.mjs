// Opens notebooks in a running VS Code for the web as docs/vscode.md says, runs them, and looks at
// their plots in light and dark. No test of CI: it needs a VS Code with its extensions.
//
//   VSCODE_URL=http://HOST:PORT/?folder=/path/to/a/checkout node tests/vscode/run-notebooks.mjs
//     [01 04 …] [--pictures FOLDER] [--seconds 1800: the longest that a notebook may take]
//
// It prints what it saw as JSON; exit code 1 and every fault on stderr where that is not right.
// CONTRIBUTING.md says what such a VS Code needs. What the notebooks' runs change stays there.

import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { main, painted, withPage } from '../browser/browser.mjs';

const NOTEBOOKS = join(import.meta.dirname, '..', '..', 'notebooks');
const WINDOW = { width: 1300, height: 1400 }; // higher than the highest plot, whose pixels are counted
const STEP = { x: 0, y: 0, width: WINDOW.width, height: 560 }; // where VS Code asks
const THEMES = ['light', 'dark'];
const LIST = '.notebookOverlay .cell-list-container > .monaco-list';

// What a notebook of this checkout must show when all of its cells have run.
function expected(number) {
  const name = readdirSync(NOTEBOOKS).find((each) => each.startsWith(`${number}-`));
  if (!name) throw new Error(`${NOTEBOOKS} has no notebook ${number}`);
  const notebook = JSON.parse(readFileSync(join(NOTEBOOKS, name), 'utf8'));
  const sources = notebook.cells
    .filter((cell) => cell.cell_type === 'code')
    .map((cell) => [cell.source].flat().join(''));
  const draws = /^%(race(?!.*--as-published)|plot\b)/m;
  return {
    name,
    kernel: notebook.metadata.kernelspec.display_name,
    cells: sources.length,
    plots: sources.filter((source) => draws.test(source)).length,
  };
}

await main(async ({ positional, options }) => {
  const address = process.env.VSCODE_URL;
  if (!address) throw new Error("VSCODE_URL is not set: the address of VS Code, with '?folder=…'");
  const numbers = positional.length ? positional : ['01', '04'];
  const folder = options.pictures;
  if (folder) mkdirSync(folder, { recursive: true });
  const patience = 1000 * Number(options.seconds ?? 1800);
  const view = { ...WINDOW, scheme: 'light', anywhere: true };
  return withPage(view, async (page) => {
    const picture = async (name, clip) => {
      await page.mouse.move(WINDOW.width / 2, WINDOW.height - 5); // where nothing says what it is
      await page.waitForTimeout(1000); // what moves into its place is there
      if (folder) await page.screenshot({ path: join(folder, `${name}.png`), clip });
    };
    try {
      await page.goto(address);
      await page.waitForSelector('.monaco-workbench .explorer-folders-view');
      await trust(page, picture);
      await needExtensions(page, picture);
      const seen = [];
      for (const number of numbers) seen.push(await notebook(page, number, patience, picture));
      const faults = seen.flatMap(({ notebook, faults }) => faults.map((f) => `${notebook}: ${f}`));
      faults.forEach((fault) => console.error(fault));
      if (faults.length) process.exitCode = 1;
      return seen;
    } catch (error) {
      await picture('error');
      throw error;
    }
  });
});

async function notebook(page, number, patience, picture) {
  const wanted = expected(number);
  await open(page, wanted.name);
  await selectKernel(page, wanted.kernel, (step) => picture(`${number}-${step}`, STEP));
  await refuseRecommendation(page, (clip) => picture(`${number}-recommendation`, clip));
  const clear = page.locator('.notebook-toolbar-container .codicon-notebook-clear:not(.disabled)');
  if (await clear.count()) await clear.click(); // those of an earlier run prove nothing
  await runAll(page, patience);
  const cells = await readCells(page);
  const plots = {};
  for (const theme of THEMES) {
    await useTheme(page, theme);
    plots[theme] = await readPlots(page, (i, clip) => picture(`${number}-${theme}-${i}`, clip));
  }
  await useTheme(page, THEMES[0]);
  await command(page, 'File: Save'); // else VS Code might ask
  await command(page, 'View: Close Editor');
  return { notebook: wanted.name, cells, plots, faults: faultsOf(wanted, cells, plots) };
}

function faultsOf(wanted, cells, plots) {
  const faults = [];
  const ran = cells.filter((cell) => cell.count > 0 && !cell.failed).length;
  if (cells.length !== wanted.cells || ran !== wanted.cells)
    faults.push(`${ran} of ${wanted.cells} code cells ran without an error`);
  const underlined = cells.reduce((sum, cell) => sum + cell.underlined, 0);
  if (underlined) faults.push(`${underlined} places are underlined as errors`);
  for (const theme of THEMES) {
    if (plots[theme].length < wanted.plots)
      faults.push(`${plots[theme].length} of ${wanted.plots} plots are there (${theme})`);
    for (const plot of plots[theme]) {
      const name = `the plot '${plot.title}' (${theme})`;
      if (plot.width < 300 || plot.height < 200) faults.push(`${name} is too small`);
      if (!plot.marks || !plot.colours.length) faults.push(`${name} has no marks`);
      if (plot.clipped.length) faults.push(`${name} cuts off ${plot.clipped.join(', ')}`);
      for (const [colour, pixels] of Object.entries(plot.pixels))
        if (pixels <= 20) faults.push(`${name} does not show its ${colour}`);
    }
  }
  return faults;
}

// A folder that is opened for the first time is restricted until it is trusted: no kernel is found.
async function trust(page, picture) {
  const restricted = page.locator('.statusbar-item', { hasText: 'Restricted Mode' });
  if (!(await appears(restricted))) return;
  await restricted.click();
  const editor = page.locator('.workspace-trust-editor');
  const button = editor.locator('.monaco-button:text-is("Trust")');
  await button.waitFor();
  await picture('trust', { ...(await editor.boundingBox()), height: STEP.height });
  await button.click();
  await restricted.waitFor({ state: 'hidden' });
  await command(page, 'View: Close Editor');
}

async function needExtensions(page, picture) {
  await command(page, 'Extensions: Show Installed Extensions');
  const installed = page.locator('.extensions-viewlet .extension-list-item .name');
  for (const name of ['Jupyter', 'Python'])
    if (!(await appears(installed.filter({ hasText: new RegExp(`^${name}$`) }))))
      throw new Error(`VS Code has no extension ${name}`);
  await picture('extensions', { ...STEP, width: 700, height: 350 });
  await command(page, 'View: Show Explorer');
}

// The rows of the list that VS Code asks with.
function choices(page) {
  return page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row');
}

async function choose(page, text) {
  const row = choices(page).filter({ hasText: text }).first();
  await row.click();
}

async function command(page, name) {
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget:visible input').fill(`>${name}`);
  await choose(page, name);
}

async function open(page, name) {
  await page.keyboard.press('Control+p');
  await page.locator('.quick-input-widget:visible input').fill(name);
  await choose(page, name);
  await page.waitForSelector(`.tab.active[data-resource-name="${name}"]`);
  await page.waitForSelector('.notebookOverlay .code-cell-row', { state: 'attached' });
}

// docs/vscode.md: Select Kernel → Jupyter Kernel… → the kernel.
async function selectKernel(page, kernel, picture) {
  await page.click('.kernel-action-view-item');
  await choices(page).first().waitFor();
  await picture('select-kernel');
  const another = choices(page).filter({ hasText: 'Select Another Kernel' });
  if (await another.count()) await another.click();
  const source = choices(page).filter({ hasText: /^Jupyter Kernel/ });
  await source.waitFor();
  await picture('jupyter-kernel');
  await source.click();
  await choices(page).filter({ hasText: kernel }).waitFor();
  await picture('kernels');
  await choose(page, kernel);
  await page.locator('.kernel-action-view-item .kernel-label', { hasText: kernel }).waitFor();
}

// The Jupyter extension recommends another one for C#, until it is told not to.
async function refuseRecommendation(page, picture) {
  const message = page.locator('.notification-toast', { hasText: 'extension is recommended' });
  if (!(await appears(message))) return;
  await page.waitForTimeout(1000); // it moves in
  await picture(await message.boundingBox());
  await message
    .locator('.monaco-button', { hasText: /do not show again|don't show again/i })
    .click();
}

async function appears(locator) {
  return locator.waitFor({ timeout: 10_000 }).then(
    () => true,
    () => false,
  );
}

// Until no cell runs or waits any more: the toolbar then has no button that interrupts. What a run
// leaves out, for an error in a cell before, does not wait.
async function runAll(page, patience) {
  await page.mouse.move(WINDOW.width / 2, WINDOW.height - 5); // a kernel's hover covers the button
  await page.locator('.hover-contents:visible').waitFor({ state: 'hidden' });
  await page.click('.notebook-toolbar-container .codicon-notebook-execute-all');
  const interrupt = page.locator('.notebook-toolbar-container .codicon-notebook-stop');
  await interrupt.waitFor();
  for (const end = Date.now() + patience; Date.now() < end; await page.waitForTimeout(1000)) {
    if (!(await interrupt.count())) return;
  }
  throw new Error(`the notebook did not end in ${patience / 1000} seconds`);
}

// By the wheel over the scrollbar: over outputs their frame would take it. One turn is 50 pixels.
async function scroll(page, pixels) {
  const list = await page.locator(LIST).boundingBox();
  await page.mouse.move(list.x + list.width - 5, list.y + list.height / 2);
  for (let turn = 0; turn < Math.abs(pixels) / 50; turn++)
    await page.mouse.wheel(0, Math.sign(pixels) * 120);
  await page.waitForTimeout(300);
}

function position(page) {
  const rows = page.locator(`${LIST} .monaco-list-rows`).first();
  return rows.evaluate((element) => element.getBoundingClientRect().top);
}

// VS Code draws only the cells that are in sight: what there is of them, from the top down. Their
// outputs are drawn meanwhile, and stay.
async function readCells(page) {
  const cells = new Map();
  for (let before = NaN; before !== (before = await position(page));)
    await scroll(page, -10 * WINDOW.height);
  for (let before = NaN; before !== (before = await position(page));) {
    for (const cell of await page.locator('.code-cell-row').evaluateAll(readRows))
      cells.set(cell.index, cell);
    await scroll(page, WINDOW.height / 3);
  }
  return [...cells.values()].sort((a, b) => a.index - b.index);
}

function readRows(rows) {
  return rows.map((row) => ({
    index: Number(row.dataset.index),
    count: Number(row.querySelector('.execution-count-label').textContent.replace(/\D/g, '')),
    failed: !!row.querySelector('.codicon-notebook-state-error'),
    underlined: row.querySelectorAll('.squiggly-error').length,
  }));
}

async function useTheme(page, theme) {
  const dark = await page.locator('.monaco-workbench.vs-dark').count();
  if ((theme === 'dark') !== dark > 0) {
    await command(page, 'Preferences: Toggle between Light/Dark Themes');
    await page.waitForSelector(`.monaco-workbench.${theme === 'dark' ? 'vs-dark' : 'vs'}`);
  }
}

// The frame with the outputs of the notebook that is in sight.
async function outputs(page) {
  for (const frame of page.frames())
    if ((await frame.locator('.output_container').count()) && (await isSeen(frame))) return frame;
  throw new Error('the notebook has no outputs');
}

async function isSeen(frame) {
  if (!frame.parentFrame()) return true;
  const element = await frame.frameElement();
  return (await element.isVisible()) && isSeen(frame.parentFrame());
}

async function readPlots(page, picture) {
  const frame = await outputs(page);
  const found = [];
  for (const element of await frame.locator('.js-plotly-plot').all()) {
    const toMiddle = () => moveToMiddle(page, element);
    await toMiddle();
    const plot = await painted(page, element, toMiddle);
    found.push(plot);
    await picture(found.length, await around(page, element));
  }
  return found;
}

// A plot, with the end of what stands above it.
async function around(page, element) {
  const list = await page.locator(LIST).boundingBox();
  const box = await element.boundingBox();
  const top = Math.max(box.y - 240, list.y);
  return { ...list, y: top, height: Math.min(box.y + box.height + 40, list.y + list.height) - top };
}

async function moveToMiddle(page, element) {
  const list = await page.locator(LIST).boundingBox();
  for (let attempt = 0; attempt < 10; attempt++) {
    const box = await element.boundingBox();
    const away = box.y + box.height / 2 - (list.y + list.height / 2);
    if (Math.abs(away) < 50) return;
    const before = await position(page);
    await scroll(page, away);
    if ((await position(page)) === before) return; // at an end of the notebook
  }
}
