// Uses a scoreboard with the keyboard alone: filters it by words and by verdict, sorts it by a
// column, follows a link; tells which statements are to be seen after each step.
//
//   node use-board.mjs scoreboard.html --words WORDS --verdict VERDICT --column NUMBER

import { pathToFileURL } from 'node:url';
import { main, withPage } from './browser.mjs';

await main(({ positional: [file], options }) =>
  withPage({ offline: true, width: 1200 }, async (page, log) => {
    await page.goto(pathToFileURL(file).href);
    const shown = () =>
      page
        .locator('.benchbook-board tbody tr:visible summary')
        .evaluateAll((says) => says.map((each) => each.textContent));
    const column = options.column ? Number(options.column) : 5;
    const head = page.locator('.benchbook-board th').nth(column);
    const steps = { all: await shown() };

    await page.locator('[name=words]').focus();
    await page.keyboard.type(options.words);
    steps.words = await shown();
    steps.count = await page.locator('.benchbook-board output').textContent();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');

    await page.keyboard.press('Tab'); // to the experiments
    await page.keyboard.press('Tab'); // to the verdicts
    await page.keyboard.type(options.verdict);
    steps.verdict = await shown();
    while (await page.locator('[name=verdict]').inputValue()) await page.keyboard.press('ArrowUp');
    steps.again = await shown();

    await tabTo(page, head.locator('button'));
    await page.keyboard.press('Enter');
    steps.ascending = await shown();
    steps.sorted = [await head.getAttribute('aria-sort')];
    await page.keyboard.press('Space');
    steps.descending = await shown();
    steps.sorted.push(await head.getAttribute('aria-sort'));

    await page.locator('.benchbook-board td a').first().focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/notebooks/);
    return { ...log, ...steps, followed: await page.title() };
  }),
);

async function tabTo(page, target) {
  for (let i = 0; i < 30; i++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('the button is not reached with the Tab key');
}
