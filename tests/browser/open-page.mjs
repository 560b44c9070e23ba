// Opens a page from disk with no network, and tells what was painted, asked for and went wrong.
//
//   node open-page.mjs PAGE.html [--width 900] [--scheme light|dark] [--screenshot FILE.png]
//     [--most 1000]: of the screenshot, the first 1,000 pixels only

import { pathToFileURL } from 'node:url';
import { main, plots, withPage } from './browser.mjs';

await main(({ positional: [file], options }) =>
  withPage(
    { offline: true, width: Number(options.width ?? 900), scheme: options.scheme ?? 'light' },
    async (page, log) => {
      await page.goto(pathToFileURL(file).href);
      await page.waitForFunction(() =>
        [...document.querySelectorAll('[data-benchbook-figure]')].every((figure) =>
          ['yes', 'failed'].includes(figure.dataset.drawn),
        ),
      );
      const painted = await plots(page);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      await page.evaluate(() => window.scrollTo(0, 0));
      if (options.screenshot) {
        const { width, height } = await page.evaluate(() => ({
          width: document.documentElement.clientWidth,
          height: document.documentElement.scrollHeight,
        }));
        const most = Math.min(height, Number(options.most ?? height));
        const clip = { x: 0, y: 0, width, height: most };
        await page.screenshot({ path: options.screenshot, fullPage: true, clip });
      }
      const text = await page.locator('body').innerText(); // what is visible, closed details left out
      return { ...log, title: await page.title(), text, overflow, plots: painted };
    },
  ),
);
