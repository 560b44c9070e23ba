// Opens a page with figures that can be moved, clicks at the end of each slider, and tells what
// the figure said before and after, and whether its marks moved.
//
//   node move-slider.mjs PAGE.html [--scheme light|dark] [--screenshot FILE.png]

import { pathToFileURL } from 'node:url';
import { main, withPage } from './browser.mjs';

const seen = (plot) => ({
  title: plot.querySelector('.gtitle').textContent,
  place: plot.querySelector('.slider-label').textContent,
  marks: [...plot.querySelectorAll('.scatterlayer path, .shapelayer path')]
    .map((mark) => mark.getAttribute('d') + mark.getAttribute('transform'))
    .join(' '),
});

await main(({ positional: [file], options }) =>
  withPage({ offline: true, width: 900, scheme: options.scheme ?? 'light' }, async (page, log) => {
    await page.goto(pathToFileURL(file).href);
    await page.waitForFunction(() =>
      [...document.querySelectorAll('[data-benchbook-figure]')].every((figure) =>
        ['yes', 'failed'].includes(figure.dataset.drawn),
      ),
    );
    const moved = [];
    for (const plot of await page.locator('.js-plotly-plot').all()) {
      const before = await plot.evaluate(seen);
      const rail = plot.locator('.slider-rail-touch-rect');
      await rail.scrollIntoViewIfNeeded();
      const { x, y, width, height } = await rail.boundingBox();
      await page.mouse.click(x + width - 2, y + height / 2);
      await page.waitForTimeout(500);
      const after = await plot.evaluate(seen);
      moved.push({ before, after });
    }
    if (options.screenshot) {
      await page.screenshot({ path: options.screenshot, fullPage: true });
    }
    return { ...log, moved };
  }),
);
