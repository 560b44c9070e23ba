// Opens the forecast page as a reader does, switches through its formats, presses its button, and
// tells what it shows.
//
//   node measure-page.mjs http://127.0.0.1:8080/ [--screenshot FILE.png] [--rows 5]

import { main, withPage } from './browser.mjs';

await main(({ positional: [url], options }) =>
  withPage({ origin: new URL(url).origin, width: 900, height: 760 }, async (page, log) => {
    page.setDefaultTimeout(120_000);
    await page.goto(url);
    const idle = () => page.waitForSelector('#measure:enabled');
    await idle();
    const labels = await page.locator('#clients label').allInnerTexts();
    const clients = labels.map((label) => label.trim());
    const isolated = await page.evaluate(() => crossOriginIsolated);
    const forecasts = {};
    for (const client of clients) {
      await page.getByLabel(client, { exact: true }).check();
      await idle();
      forecasts[client] = await cells(page, '#forecasts');
    }
    const once = await cells(page, '#times');
    await page.getByRole('button', { name: '20 loads, twice' }).click();
    await page.waitForFunction(() => document.querySelector('#measure').disabled);
    await idle();
    const twenty = await cells(page, '#times');
    const problems = await page.locator('[role=alert]').allInnerTexts();
    await page.locator('#files summary').click();
    const files = await cells(page, '#files');
    await page.locator('#files summary').click();
    if (options.screenshot) await picture(page, options.screenshot, Number(options.rows ?? 5));
    await page.getByRole('link', { name: /JavaScript/ }).click();
    await page.waitForSelector('#state:has-text("decode")');
    const script = await cells(page, '#forecasts');
    return { ...log, clients, isolated, forecasts, once, twenty, problems, files, script };
  }),
);

function cells(page, table) {
  return page
    .locator(`${table} tbody tr`)
    .evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
}

// All of the page down to some rows of the forecasts.
async function picture(page, path, rows) {
  await page.setViewportSize({ width: 900, height: 2400 });
  const { y, height } = await page.locator(`#forecasts tbody tr:nth-child(${rows})`).boundingBox();
  await page.screenshot({ path, clip: { x: 0, y: 0, width: 900, height: y + height } });
}
