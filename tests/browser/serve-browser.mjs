// Starts Chromium once for many looks at pages, and prints where they find it (a WebSocket's
// address); it ends with this script's standard input.
//
//   node serve-browser.mjs

import { chromium } from 'playwright-core';
import { launching } from './browser.mjs';

const server = await chromium.launchServer(launching());
console.log(server.wsEndpoint());
process.stdin.resume();
process.stdin.on('end', () => server.close());
