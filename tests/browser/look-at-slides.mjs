// Opens the page of slides from disk with no network, goes through it by its keys, and tells which
// slides came, which are higher or wider than the screen, and what was asked for and went wrong.
//
//   node look-at-slides.mjs SLIDES.html [--width 1280] [--height 720] [--scheme light|dark]
//     [--pictures FOLDER] [--only ID-PART]

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { main, withPage } from './browser.mjs';

await main(({ positional: [file], options }) => {
  const size = { width: Number(options.width ?? 1280), height: Number(options.height ?? 720) };
  return withPage(
    { offline: true, ...size, scheme: options.scheme ?? 'light' },
    async (page, log) => {
      await page.goto(pathToFileURL(file).href);
      const slides = await page.locator('.slide').evaluateAll((all) =>
        all.map((slide) => ({
          id: slide.id,
          higher: Math.max(
            0,
            Math.round(slide.getBoundingClientRect().height - window.innerHeight),
          ),
          wider: Math.max(0, slide.scrollWidth - slide.clientWidth),
        })),
      );
      const reached = [];
      for (let i = 1; i < slides.length; i += 1) {
        await page.keyboard.press(i % 2 ? 'ArrowRight' : ' ');
        reached.push(await page.evaluate(() => window.location.hash.slice(1)));
        const wanted = options.pictures && slides[i].id.includes(options.only ?? '');
        if (wanted) await page.screenshot({ path: join(options.pictures, `${slides[i].id}.png`) });
      }
      await page.keyboard.press('Home');
      const home = await page.evaluate(() => window.location.hash.slice(1));
      return { ...log, slides, reached, home };
    },
  );
});
