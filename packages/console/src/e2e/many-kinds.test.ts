/// <reference lib="dom" />
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { OpenedConsole, START_MS } from './opened-console.ts';

const KINDS = 120;
const GROUP = 'many.example.com';
const WAIT = { timeout: 30_000 };

describe.skipIf(!hasBrowser())('with more kinds than a connection has streams', () => {
  let opened: OpenedConsole;

  beforeAll(async () => {
    opened = await OpenedConsole.open({ flags: ['--controllers', ''] });
    const all = Array.from({ length: KINDS }, (_, index) => index);
    await Promise.all(all.map(define));
    await Promise.all(all.map((index) => establish(index)));
  }, START_MS);

  afterAll(() => opened?.close());

  const pathOf = (index: number): string => `/apis/${GROUP}/v1/namespaces/default/kind${index}s`;

  async function define(index: number): Promise<void> {
    const names = { plural: `kind${index}s`, singular: `kind${index}`, kind: `Kind${index}` };
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const { status } = await opened.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: `${names.plural}.${GROUP}` },
      spec: {
        group: GROUP,
        names,
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    expect(status).toBe(201);
  }

  /** Each kind has an object, so that each is watched. */
  async function establish(index: number): Promise<void> {
    const object = { apiVersion: `${GROUP}/v1`, kind: `Kind${index}`, metadata: { name: `one-${index}` } };
    for (;;) {
      const { status } = await opened.ask('POST', pathOf(index), object);
      if (status === 201) return;
      expect(status).toBe(404);
    }
  }

  test('each kind is followed, and the page has streams left', async () => {
    const { page } = opened;
    let streams = 0;
    page.on('request', (request) => {
      if (/\/console\/(?:watch\/|watches$)/.test(request.url())) streams++;
    });
    await page.goto(opened.at('graph?ns=default&all=1'));
    await page.locator('.graph .freshness.live').waitFor(WAIT);
    expect(streams).toBeLessThan(10);
    const shown = async (): Promise<number> =>
      Number((await page.locator('.graph .tally').textContent())?.replace(/\D/g, ''));
    const before = await shown();
    expect(before).toBeGreaterThanOrEqual(KINDS);
    for (const index of [0, KINDS - 1]) {
      const object = { apiVersion: `${GROUP}/v1`, kind: `Kind${index}`, metadata: { name: 'another' } };
      expect((await opened.ask('POST', pathOf(index), object)).status).toBe(201);
    }
    await expect.poll(shown, { timeout: 5_000 }).toBe(before + 2);
    // A view of one kind has a stream of its own, beside all those.
    await page.getByRole('link', { name: 'Kind7', exact: true }).click();
    await page.getByRole('link', { name: 'one-7', exact: true }).waitFor(WAIT);
    await page.locator('.list .freshness.live').waitFor(WAIT);
    expect(opened.violations).toEqual([]);
  });

  test('a stream of many watches ends with its session', async () => {
    const { page } = opened;
    await page.goto(opened.at('graph?ns=default&all=1'));
    await page.locator('.graph .freshness.live').waitFor(WAIT);
    const ended = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/console/watches'));
    await page.evaluate(() => fetch('/console/session', { method: 'DELETE' }));
    await ended;
  });
});
