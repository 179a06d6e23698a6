// Looks for problems of accessibility in the built documentation site, with axe in Chromium: `npm run check:accessibility`. Build
// the site first (`npm run docs`). CHROMIUM has the path of the browser. Fails for serious findings.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join, normalize } from 'node:path';
import { ensureTools, TOOLS } from './ensure-tools.mjs';

const SITE = join(import.meta.dirname, '..', 'site');
const PAGES = ['index', 'start-here', 'first-operator', 'reference/commands', 'troubleshooting', 'differences'];
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
};
const SERIOUS = new Set(['serious', 'critical']);
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 900 };

ensureTools();
const require = createRequire(join(TOOLS, 'package.json'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const server = createServer((request, response) => {
  const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
  try {
    const file = readFileSync(join(SITE, path));
    response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' }).end(file);
  } catch {
    response.writeHead(404).end();
  }
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
let failures = 0;
try {
  for (const viewport of [DESKTOP, PHONE])
    for (const colorScheme of ['light', 'dark']) await check(viewport, colorScheme);
} finally {
  await browser.close();
  server.close();
}
process.exitCode = failures === 0 ? 0 : 1;

async function check(viewport, colorScheme) {
  const context = await browser.newContext({ viewport, colorScheme, bypassCSP: true });
  const page = await context.newPage();
  for (const name of PAGES) {
    await page.goto(`http://127.0.0.1:${server.address().port}/${name}.html`, { waitUntil: 'load' });
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    if (isTooWide) report(`${name} at ${viewport.width} pixels is wider than the screen`);
    for (const { id, impact, help, nodes } of violations) {
      const text = `${name} (${viewport.width}, ${colorScheme}): ${impact}: ${id}: ${help}: ${nodes.length} × ${nodes[0].target}`;
      if (SERIOUS.has(impact)) report(text);
      else console.log(text);
    }
  }
  await context.close();
  console.log(`Checked ${PAGES.length} pages at ${viewport.width} pixels, ${colorScheme}`);
}

function report(text) {
  failures++;
  console.error(`check:accessibility: ${text}`);
}
