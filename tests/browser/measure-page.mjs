// Opens the forecast page as a reader does, presses its button, and tells what it shows.
//
//   node measure-page.mjs http://127.0.0.1:8080/ [--screenshot FILE.png] [--rows 6]

import { main, withPage } from './browser.mjs';

await main(({ positional: [url], options }) =>
  withPage({ origin: new URL(url).origin, width: 900, height: 760 }, async (page, log) => {
    page.setDefaultTimeout(120_000);
    await page.goto(url);
    const button = page.getByRole('button', { name: 'Measure all clients' });
    await page.waitForFunction(() => !document.querySelector('#measure').disabled);
    const forecasts = await cells(page, '#forecasts');
    const clients = await page.locator('#client option').allInnerTexts();
    await button.click();
    await page.waitForFunction(() => !document.querySelector('#measure').disabled);
    const results = await cells(page, '#results');
    const isolated = await page.evaluate(() => crossOriginIsolated);
    if (options.screenshot) await picture(page, options.screenshot, Number(options.rows ?? 6));
    await page.selectOption('#client', { label: clients.at(-1) });
    await page.waitForURL(/client=/);
    await page.waitForFunction(() => !document.querySelector('#measure').disabled);
    const others = await cells(page, '#forecasts');
    return { ...log, clients, forecasts, others, results, isolated };
  }),
);

function cells(page, table) {
  return page
    .locator(`${table} tbody tr`)
    .evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.innerText)));
}

// All of the page down to some rows of the forecasts.
async function picture(page, path, rows) {
  await page.setViewportSize({ width: 900, height: 2400 });
  const { y, height } = await page.locator(`#forecasts tbody tr:nth-child(${rows})`).boundingBox();
  await page.screenshot({ path, clip: { x: 0, y: 0, width: 900, height: y + height } });
}
