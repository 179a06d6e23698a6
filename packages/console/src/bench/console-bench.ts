/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import type { CDPSession, Page } from 'playwright-core';
import { findBrowser } from '../e2e/browser.ts';
import { OpenedConsole } from '../e2e/opened-console.ts';

type Print = (line: string) => void;

const FAMILIES = 200;
const CHILDREN = 49;
const CHANGES_PER_SECOND = 100;
const CHANGING_MS = 8_000;
const LONG_LIST = 50_000;
const REVISIONS = 5_000;
const WAIT = { timeout: 300_000 };
const PARALLEL = 24;

/** Figures of issue 29. Bounds are printed beside them, for a machine that does nothing else. */
export async function bench(print: Print): Promise<void> {
  if (findBrowser() === undefined) return print('skipped: no browser');
  await memory(print);
  const opened = await OpenedConsole.open({ flags: ['--controllers', ''] });
  try {
    await firstView(opened, print);
    await liveForest(opened, print);
    await past(opened, print);
    await longList(opened, print);
  } finally {
    await opened.close();
  }
}

/** Idle memory with the console and without. */
async function memory(print: Print): Promise<void> {
  const sizes: number[] = [];
  for (const flags of [[], ['--no-console']]) {
    const folder = await OpenedConsole.startOnly(['--controllers', '', ...flags]);
    const samples: number[] = [];
    for (let index = 0; index < 5; index++) {
      await new Promise((resolve) => {
        setTimeout(resolve, 1_000);
      });
      samples.push(rssOf(folder.pid));
    }
    sizes.push(Math.min(...samples));
    await folder.close();
  }
  const [withConsole = 0, without = 0] = sizes;
  print(`idle memory: ${mib(withConsole)} with the console, ${mib(without)} without (bound: + 5 MB)`);
}

function rssOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;
const ms = (time: number): string => `${time.toFixed(0)} ms`;
const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

async function firstView(opened: OpenedConsole, print: Print): Promise<void> {
  const { page } = await freshPage(opened);
  await page.goto(opened.at(''));
  await page.locator('.freshness.live').first().waitFor(WAIT);
  const bytes = await page.evaluate(() =>
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .map((each) => each as PerformanceResourceTiming)
      .filter(({ name }) => !/\/console\/(?:api|watch|stream|session)/.test(name))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  );
  print(`first view: ${(bytes / 1024).toFixed(0)} KB compressed, fonts included (bound: 250 KB)`);
  await page.context().close();
}

/** A page in a context of its own, where the same user is logged in and nothing is cached. */
async function freshPage(opened: OpenedConsole): Promise<{ page: Page; metrics: CDPSession }> {
  const storageState = await opened.context.storageState();
  const viewport = { width: 1440, height: 900 };
  const context = await opened.browser.newContext({ ignoreHTTPSErrors: true, viewport, storageState });
  await context.addInitScript(() => {
    const seen = { longTasks: [] as number[], frames: 0 };
    Object.assign(globalThis, { seen });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.longTasks.push(duration);
    }).observe({ type: 'longtask', buffered: true });
    const frame = (): void => {
      seen.frames++;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  const page = await context.newPage();
  const metrics = await context.newCDPSession(page);
  // Processor time, not time that other processes of the machine took.
  await metrics.send('Performance.enable', { timeDomain: 'threadTicks' });
  return { page, metrics };
}

interface Seen {
  readonly longTasks: number[];
  frames: number;
}

async function reset(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { seen } = globalThis as unknown as { seen: Seen };
    seen.longTasks.length = 0;
    seen.frames = 0;
  });
}

/** Runs work and says how smooth the page was meanwhile. */
async function smoothness(page: Page, metrics: CDPSession, work: () => Promise<unknown>): Promise<string> {
  const busy = async (): Promise<number> =>
    (await metrics.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  await reset(page);
  const [before, beginMs] = [await busy(), performance.now()];
  await work();
  const [after, endMs] = [await busy(), performance.now()];
  const { longTasks, frames } = await page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen);
  const seconds = (endMs - beginMs) / 1000;
  const longest = longTasks.length === 0 ? 'no task > 50 ms' : `longest task ${ms(Math.max(...longTasks))}`;
  const cpu = `main thread ${(((after - before) * 1000) / Math.max(1, frames)).toFixed(1)} ms of processor time a frame`;
  return `${(frames / seconds).toFixed(0)} frames/s, ${longest}, ${cpu}`;
}

const SPACE = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

async function each<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < items.length) await work(items[next++]!);
  };
  await Promise.all(Array.from({ length: PARALLEL }, run));
}

const numbered = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);
const nameOf = (index: number): string => `map-${`${index}`.padStart(6, '0')}`;
const MERGE = 'application/merge-patch+json';

async function liveForest(opened: OpenedConsole, print: Print): Promise<void> {
  await opened.ask('POST', '/api/v1/namespaces', { metadata: { name: 'forest' } });
  const uids = new Map<number, string>();
  await each(numbered(FAMILIES), async (index) => {
    const { body } = await opened.ask('POST', SPACE('forest'), { metadata: { name: `root-${index}` } });
    uids.set(index, String(JSON.parse(body).metadata.uid));
  });
  await each(numbered(FAMILIES * CHILDREN), (index) => {
    const root = index % FAMILIES;
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: `root-${root}`, uid: uids.get(root) };
    return opened.ask('POST', SPACE('forest'), {
      metadata: { name: nameOf(index), ownerReferences: [owner] },
      data: { n: '0' },
    });
  });
  const total = FAMILIES * (CHILDREN + 1);
  const { page, metrics } = await freshPage(opened);
  for (const view of ['o/configmaps?ns=forest', 'graph?ns=forest&all=1']) {
    const begin = Date.now();
    await page.goto(opened.at(view));
    await page.locator('.tally', { hasText: total.toLocaleString('en') }).waitFor(WAIT);
    const { paint, whole } = await page.evaluate(() => ({
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      whole: performance.now(),
    }));
    const all = `all ${total.toLocaleString('en')} objects after ${ms(whole)} (${ms(Date.now() - begin)} outside)`;
    print(`${view}: first paint ${ms(paint)} (bound: 1,500), ${all}`);
  }
  const panning = await smoothness(page, metrics, async () => {
    const changing = change(opened, total);
    await page.mouse.move(700, 450);
    await page.mouse.down();
    for (const beginMs = Date.now(); Date.now() - beginMs < CHANGING_MS; ) {
      const angle = (Date.now() - beginMs) / 300;
      await page.mouse.move(700 + 200 * Math.cos(angle), 450 + 150 * Math.sin(angle));
    }
    await page.mouse.up();
    await changing;
  });
  print(`panning at ${CHANGES_PER_SECOND} changes/s: ${panning} (bounds: 50 frames/s, 100 ms)`);
  await page.goto(opened.at('o/configmaps?ns=forest'));
  await page.locator('.list .freshness.live').waitFor(WAIT);
  const delays: number[] = [];
  const following = await smoothness(page, metrics, () => change(opened, total, probe(opened, page, delays)));
  const p = [0.5, 0.95].map((share) => ms(quantile(delays, share))).join(', p95 ');
  print(
    `change to pixel at ${CHANGES_PER_SECOND} changes/s: median ${p} of ${delays.length} (bound: p95 250 ms); ${following}`,
  );
  await page.context().close();
}

let runs = 0;

/** Changes objects at random, a hundred a second, each time to other values. `onTick` may send one of the changes itself. */
async function change(
  opened: OpenedConsole,
  total: number,
  onTick?: (tick: number) => Promise<unknown>,
): Promise<void> {
  const run = ++runs;
  const sent: Promise<unknown>[] = [];
  const beginMs = performance.now();
  const last = (CHANGING_MS / 1000) * CHANGES_PER_SECOND;
  for (let tick = 0; tick < last; ) {
    const due = Math.min(last, Math.floor(((performance.now() - beginMs) / 1000) * CHANGES_PER_SECOND));
    for (; tick < due; tick++) {
      if (tick % 20 === 0 && onTick !== undefined) sent.push(onTick(tick));
      else {
        const name = nameOf(1 + ((tick * 7919) % (total - FAMILIES - 1)));
        sent.push(opened.ask('PATCH', `${SPACE('forest')}/${name}`, { data: { n: `${run}.${tick}` } }, MERGE));
      }
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
  await Promise.all(sent);
}

/** Adds a key to the first object, and waits in the page until its row says so and a frame was drawn, after the server's answer. */
function probe(opened: OpenedConsole, page: Page, delays: number[]): (tick: number) => Promise<void> {
  let keys = 1;
  return async (tick) => {
    const wanted = ++keys;
    const shown = page.evaluate(
      ({ name, text }) =>
        new Promise<number>((resolve) => {
          const look = (): void => {
            const row = [...document.querySelectorAll('[role=row]')].find((each) => each.textContent?.includes(name));
            const cell = row?.querySelectorAll('[role=gridcell]')[1]?.textContent ?? '';
            if (Number(cell) >= Number(text)) requestAnimationFrame(() => resolve(Date.now()));
            else requestAnimationFrame(look);
          };
          look();
        }),
      { name: nameOf(0), text: `${wanted}` },
    );
    await opened.ask('PATCH', `${SPACE('forest')}/${nameOf(0)}`, { data: { [`k${tick}`]: '' } }, MERGE);
    const answeredMs = Date.now();
    delays.push(Math.max(0, (await shown) - answeredMs));
  };
}

/** 5,000 revisions of 1,000 objects: any of them is shown, and is what the API says. */
async function past(opened: OpenedConsole, print: Print): Promise<void> {
  await opened.ask('POST', '/api/v1/namespaces', { metadata: { name: 'past' } });
  const names = numbered(1_000);
  await each(names, (index) => opened.ask('POST', SPACE('past'), { metadata: { name: nameOf(index) }, data: {} }));
  await each(numbered(REVISIONS - names.length), (index) =>
    opened.ask('PATCH', `${SPACE('past')}/${nameOf((index * 7) % 1_000)}`, { data: { [`k${index}`]: '' } }, MERGE),
  );
  const newest = Number(
    JSON.parse((await opened.ask('GET', `${SPACE('past')}?limit=1`)).body).metadata.resourceVersion,
  );
  const { page } = await freshPage(opened);
  await page.goto(opened.at('o/configmaps?ns=past'));
  await page.getByText(nameOf(0)).first().waitFor(WAIT);
  const times: number[] = [];
  let wrong = 0;
  for (let step = 0; step < 25; step++) {
    const at = newest - ((step * 1_933) % (REVISIONS - names.length));
    const shown = await page.evaluate(async (revision) => {
      const begin = performance.now();
      history.pushState(null, '', `${location.pathname}?ns=past&at=${revision}`);
      dispatchEvent(new PopStateEvent('popstate'));
      const isThere = (): boolean =>
        document.querySelector('.list .freshness.then b')?.textContent?.replaceAll(',', '') === `${revision}`;
      while (!isThere()) await new Promise((resolve) => requestAnimationFrame(resolve));
      const rows = [...document.querySelectorAll('.grid-body [role=row]')].map((row) =>
        [...row.querySelectorAll('[role=gridcell]')]
          .slice(0, 2)
          .map((cell) => cell.textContent)
          .join(' '),
      );
      return { time: performance.now() - begin, rows };
    }, at);
    times.push(shown.time);
    const exact = `${SPACE('past')}?resourceVersion=${at}&resourceVersionMatch=Exact`;
    const { items } = JSON.parse((await opened.ask('GET', exact)).body) as {
      items: { metadata: { name: string }; data?: object }[];
    };
    const told = items.map(({ metadata, data = {} }) => `${metadata.name} ${Object.keys(data).length}`);
    const isEqual = shown.rows.length > 10 && shown.rows.every((row) => told.includes(row));
    if (!isEqual) wrong++;
  }
  const figures = `median ${ms(quantile(times, 0.5))}, longest ${ms(Math.max(...times))}`;
  print(
    `a revision of ${REVISIONS.toLocaleString('en')}: ${figures} (bound: 200 ms); ${wrong} of ${times.length} not what the API says`,
  );
  await page.context().close();
}

async function longList(opened: OpenedConsole, print: Print): Promise<void> {
  await opened.ask('POST', '/api/v1/namespaces', { metadata: { name: 'many' } });
  await each(numbered(LONG_LIST), (index) => opened.ask('POST', SPACE('many'), { metadata: { name: nameOf(index) } }));
  const { page, metrics } = await freshPage(opened);
  let requests = 0;
  page.on('request', (request) => {
    if (request.url().includes('/many/configmaps')) requests++;
  });
  const begin = Date.now();
  await page.goto(opened.at('o/configmaps?ns=many'));
  await page.getByText(nameOf(0)).first().waitFor(WAIT);
  const first = Date.now() - begin;
  await page
    .locator('.tally', { hasText: LONG_LIST.toLocaleString('en') })
    .filter({ hasNotText: '…' })
    .waitFor(WAIT);
  print(
    `a list of ${LONG_LIST.toLocaleString('en')}: first rows after ${ms(first)}, all after ${ms(Date.now() - begin)}, ${requests} requests`,
  );
  const scrolling = await smoothness(page, metrics, async () => {
    await page.mouse.move(700, 450);
    for (const beginMs = Date.now(); Date.now() - beginMs < 4_000; ) await page.mouse.wheel(0, 900);
  });
  print(`scrolling it: ${scrolling} (bounds: 50 frames/s, 100 ms)`);
  await page.context().close();
}
