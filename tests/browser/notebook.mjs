// Opens a notebook in Notebook 6 or JupyterLab as a person would, runs it, and tells what is seen.
//
//   node notebook.mjs URL TOKEN NOTEBOOK.ipynb --front-end notebook|lab [--task run|interrupt]
//     [--seconds 120] [--width 1280] [--scheme light|dark] [--screenshot FILE.png]
//     [--at TEXT]: the screenshot shows one window, from the cell on that has this text alone
//     [--every SECONDS]: so often one is taken while cells run, of the one that does: FILE-1.png …
//
// run: all cells, then each cell's output, errors, painted plots, and how many words are coloured.
// interrupt: all cells, of which the last but one never ends; interrupts it, runs the last.

import { main, plots, withPage } from './browser.mjs';

// What a program that takes the notebook for a terminal writes to move its cursor.
const DRAWS = /\x1b(\[[?\d;]*[A-Za-ln-z]|=)/;

const POLL_MS = 120_000;

// The two front ends: where a notebook is, and what its parts are called.
const FRONT_ENDS = {
  notebook: {
    url: (base, path) => `${base}/notebooks/${path}`,
    cell: '.cell.code_cell',
    prompt: '.input_prompt',
    running: '.code_cell.running',
    source: '.CodeMirror-code',
    output: '.output_area',
    scroller: '#site',
    keyword: '.cm-keyword, .cm-def, .cm-string',
    ready: (page) =>
      page.waitForFunction(() => {
        const notebook = window.Jupyter?.notebook;
        return notebook?._fully_loaded && notebook.kernel?.info_reply?.implementation;
      }),
    async runAll(page) {
      await page.click('#celllink');
      await page.click('#run_all_cells');
    },
    waiting: () => document.querySelectorAll('.code_cell.running').length,
    save: (page) => page.click('[data-jupyter-action="jupyter-notebook:save-notebook"]'),
  },
  lab: {
    url: (base, path) => `${base}/lab/tree/${path}`,
    cell: '.jp-NotebookPanel .jp-CodeCell',
    prompt: '.jp-InputArea-prompt',
    running: '.jp-CodeCell:has(.jp-InputArea-prompt:text("[*]"))',
    source: '.cm-content',
    output: '.jp-OutputArea',
    scroller: '.jp-NotebookPanel .jp-WindowedPanel-outer',
    // CodeMirror 6 gives its colours through generated classes.
    keyword: '.cm-line span[class*="ͼ"]',
    async ready(page) {
      await page.waitForSelector('.jp-NotebookPanel .jp-CodeCell');
      await page.waitForSelector('.jp-Notebook-ExecutionIndicator[data-status="idle"]');
      await page.waitForSelector('.jp-Toolbar-kernelName:not(:text("No Kernel"))');
    },
    // JupyterLab's menus are there before they work: open and click until cells are waiting.
    async runAll(page) {
      const all = page.locator('.lm-Menu-item[data-command="runmenu:run-all"]');
      const started = page.locator('.jp-InputArea-prompt', { hasText: /\[[*\d]+\]/ }).first();
      for (let attempt = 0; !(await started.count()); attempt++) {
        if (attempt === 10) throw new Error('JupyterLab did not run the cells');
        await page.keyboard.press('Escape'); // a menu that is open would be closed by the click
        await page.click('.lm-MenuBar-item:has-text("Run")');
        await all
          .hover({ timeout: 3000 })
          .then(() => all.click({ timeout: 3000 }))
          .then(() => started.waitFor({ timeout: 3000 }))
          .catch(() => {});
      }
    },
    waiting: () =>
      [...document.querySelectorAll('.jp-NotebookPanel .jp-InputArea-prompt')].filter((prompt) =>
        prompt.textContent.includes('*'),
      ).length,
    save: (page) => page.click('.jp-NotebookPanel-toolbar [data-command="docmanager:save"]'),
  },
};

await main(({ positional: [base, token, notebook], options }) => {
  const front = FRONT_ENDS[options['front-end']];
  const view = {
    origin: new URL(base).origin,
    offline: false,
    width: Number(options.width ?? 1280),
    scheme: options.scheme ?? 'light',
  };
  return withPage(view, async (page, log) => {
    page.setDefaultTimeout(1000 * Number(options.seconds ?? 120));
    try {
      await page.goto(`${front.url(base, notebook)}?token=${token}`);
      await front.ready(page);
      await kernelReady(page, base);
      await front.runAll(page);
      if (options.task === 'interrupt') await interrupt(page, front);
      const end = { of: finished(page, front).finally(() => (end.reached = true)) };
      if (options.every) await meanwhile(page, front, options, end);
      await end.of;
      const cells = await readCells(page, front);
      // windows get resized; this one is higher than the highest plot, whose pixels are counted
      await page.setViewportSize({ width: view.width - 150, height: 1600 });
      await page.waitForTimeout(1000);
      const painted = await plots(page);
      const coloured = await page.locator(front.keyword).count();
      if (options.at) await pictureAt(page, front, options.at, options.screenshot);
      else if (options.screenshot) await screenshot(page, front, options.screenshot);
      const saved = await savedCells(page, front, `${base}/api/contents/${notebook}`);
      cells.forEach((cell, i) => Object.assign(cell, saved[i]));
      return { ...log, cells, plots: painted, coloured };
    } catch (error) {
      if (options.screenshot) await page.screenshot({ path: options.screenshot });
      throw error;
    }
  });
});

// What `look` answers as soon as that is something, or an error that says what was waited for.
async function poll(page, what, look) {
  for (const end = Date.now() + POLL_MS; Date.now() < end; await page.waitForTimeout(200)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`waited in vain for ${what}`);
}

// The server's answer; null where it gives none, as while a notebook is being saved.
async function api(page, url) {
  const answer = await page.request.get(url);
  return answer.json().catch(() => null);
}

// The kernel runs and the page talks to it: before that JupyterLab asks which kernel is meant.
async function kernelReady(page, base) {
  await poll(page, 'an idle kernel', async () => {
    const kernel = (await api(page, `${base}/api/sessions`))?.[0]?.kernel;
    return kernel?.connections && kernel.execution_state === 'idle';
  });
  await page.waitForTimeout(1000); // and the page knows it, too
}

// All cells have run, or were given up after an error: none waits for 200 ms on end.
async function finished(page, front) {
  for (let calm = 0; calm < 5; calm++) {
    await page.waitForFunction((waiting) => !eval(`(${waiting})()`), `${front.waiting}`);
    await page.waitForTimeout(200);
    if (await page.evaluate((waiting) => eval(`(${waiting})()`), `${front.waiting}`)) calm = -1;
  }
}

// Screenshots while cells run, each from the cell on that does.
async function meanwhile(page, front, { every, screenshot }, end) {
  for (let count = 1; !end.reached; count++) {
    await page.waitForTimeout(1000 * Number(every));
    const running = page.locator(front.running).first();
    await running
      .evaluate((element) => element.scrollIntoView({ block: 'start' }), null, { timeout: 1000 })
      .then(() => page.screenshot({ path: screenshot.replace(/\.png$/, `-${count}.png`) }))
      .catch(() => {}); // nothing runs just now
  }
}

// What each code cell shows. Cells that are out of sight may not be in the DOM: go to each first.
async function readCells(page, front) {
  const cells = [];
  for (const cell of await page.locator(front.cell).all()) {
    await cell.scrollIntoViewIfNeeded();
    await page.waitForTimeout(100);
    const [prompt] = await cell.locator(front.prompt).allInnerTexts();
    const output = (await cell.locator(front.output).allInnerTexts()).join('\n').trim();
    cells.push({ prompt, output });
  }
  return cells;
}

// Whether each code cell ran, and its errors, from the saved notebook: on the page JupyterLab shows
// them as it shows any text on stderr. What is read may be an automatic save from before the end:
// a notebook in which a cell did not run is saved and read again.
async function savedCells(page, front, url) {
  let cells = [];
  for (let attempt = 0; attempt < 3; attempt++) {
    cells = await savedOnce(page, front, url);
    if (cells.every((cell) => cell.ran)) break;
    await page.waitForTimeout(2000);
  }
  return cells;
}

async function savedOnce(page, front, url) {
  const saves = (request) => request.method() === 'PUT' && request.url().startsWith(url);
  await poll(page, 'the notebook to be saved', async () => {
    // one save at a time: of two at once the server refuses one, and a dialog says so
    await page.keyboard.press('Escape');
    const asked = page.waitForRequest(saves, { timeout: 10_000 }).catch(() => null);
    await front.save(page);
    const request = await asked; // none: a click may be lost while the page is busy
    return (await request?.response())?.ok();
  });
  const saved = await poll(page, 'the notebook', () => api(page, url));
  return saved.content.cells
    .filter((cell) => cell.cell_type === 'code')
    .map(({ source, outputs, execution_count: count }) => ({
      source,
      ran: count !== null,
      errors: outputs
        .filter((output) => output.output_type === 'error')
        .map(({ ename, evalue }) => `${ename}: ${evalue}`),
      stderr: written(outputs.filter((output) => output.name === 'stderr')),
      draws: DRAWS.test(written(outputs)),
    }));
}

function written(outputs) {
  return outputs.map(({ text }) => [text ?? ''].flat().join('')).join('');
}

// The endless cell is the last but one: its keys i, i (or the kernel menu's entry) end it.
async function interrupt(page, front) {
  const cells = page.locator(front.cell);
  const endless = (await cells.count()) - 2;
  await page.waitForTimeout(3000); // let it be busy for a while
  await cells.nth(endless).locator(front.prompt).first().click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('i');
  await page.keyboard.press('i');
  await finished(page, front);
  await cells
    .nth(endless + 1)
    .locator(front.prompt)
    .first()
    .click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Enter');
}

// What a reader sees when a cell is at the top of the window.
async function pictureAt(page, front, text, path) {
  await page.setViewportSize({ width: page.viewportSize().width, height: 1000 });
  const cells = page.locator(front.cell).filter({ hasText: text });
  for (const cell of await cells.all()) {
    const source = await cell.locator(front.source).first().innerText();
    if (source.trim() !== text) continue;
    await cell.evaluate((element) => element.scrollIntoView({ block: 'start' }));
    await page.waitForTimeout(1500);
    await page.screenshot({ path });
    return;
  }
  throw new Error(`no cell has the text ${text}`);
}

// The whole notebook, not only what fits: the window is made as high as the cells are.
async function screenshot(page, front, path) {
  const height = await page
    .locator(front.cell)
    .evaluateAll((cells) => cells.reduce((sum, cell) => sum + cell.offsetHeight + 60, 400));
  const { width } = page.viewportSize();
  await page.setViewportSize({ width, height: Math.min(Math.max(height, 900), 12000) });
  await page.locator(front.scroller).evaluate((scroller) => scroller.scrollTo(0, 0));
  await page.waitForTimeout(1000);
  await page.screenshot({ path });
}
