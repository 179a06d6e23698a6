import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The browser of this machine: what CHROMIUM names, or one on the path. */
export function findBrowser(): string | undefined {
  const { CHROMIUM, PATH = '' } = process.env;
  if (CHROMIUM !== undefined) return CHROMIUM;
  const candidates = PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return candidates.find((path) => existsSync(path));
}

/** Whether tests can run in a browser. Says so where they cannot, and throws where they must. */
export function hasBrowser(): boolean {
  if (findBrowser() !== undefined) return true;
  const problem = 'No browser: the tests of the console are skipped. Install chromium, or set CHROMIUM to its path.';
  if (process.env.PINTLE_BROWSER === 'required') throw new Error(problem);
  console.warn(`\n  ${problem}\n`);
  return false;
}

export async function openBrowser(flags: readonly string[] = []): Promise<Browser> {
  return await chromium.launch({
    executablePath: findBrowser()!,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...flags,
    ],
  });
}
